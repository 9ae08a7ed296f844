#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a trace says of examples/forest: the trees that the program counts, in the form of a text that docs/trace.md shows.

usage: forest_trace.py FOREST MILLRACE TEXT     in the environment of the layer
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOREST, MILLRACE, TEXT = sys.argv[1:]


def output(*command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{command} fails: {result.stdout}{result.stderr}")
    return result.stdout


def without_numbers(text):
    """Devices may see another tree, and columns are as wide as numbers."""
    return re.sub(r" +", " ", re.sub(r"\b\d+\b", "N", text))


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "forest.mrtrace")
        program = output(FOREST, VK_MILLRACE_EMULATION_TRACE=trace)
        text = output(MILLRACE, "report", trace)
        (call,) = json.loads(output(MILLRACE, "report", trace, "--json"))["generated_calls"]
    trees, places = map(int, re.search(r"^trees +(\d+) of (\d+) ", program, re.MULTILINE).groups())
    kinds = sum(pipeline["sequences"] for pipeline in call["pipelines"])
    found = call["executions"], call["sequences"], call["max_sequences"], kinds, call["left_out"]
    if found != (1, trees, places, trees, 0):
        sys.exit(f"{trees} trees of {places} places, and the trace has {found}")
    if without_numbers(pathlib.Path(TEXT).read_text()) not in without_numbers(text):
        sys.exit(f"{TEXT} is not in the report:\n{text}")


main()

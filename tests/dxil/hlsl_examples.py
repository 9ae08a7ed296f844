#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graphs of examples/hlsl, run from files, give what Python computes.

Usage: hlsl_examples.py MILLRACE EXAMPLES
"""
import json
import pathlib
import re
import subprocess
import sys


def run(tool, graph):
    result = subprocess.run([tool, "run", graph], capture_output=True, text=True, timeout=120, check=False)
    if result.returncode != 0:
        sys.exit(f"{graph}: {result.stderr}")
    return json.loads(re.search(r"^result: +words = (.*)$", result.stdout, re.MULTILINE).group(1))["member0"]


def main():
    tool, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = [sum(sum(range(1, 2 * (y + 1) + 1)) for count in (3, 5) if y < count) for y in range(8)]
    tree = [sum(range(1, 2 ** depth + 1)) if depth < 6 else 0 for depth in range(8)]
    for name, wanted in (("fan_out", rows), ("tree_sum", tree)):
        got = run(tool, examples / name / "graph.json")
        if got != wanted:
            sys.exit(f"{name}: {got} instead of {wanted}")
        print(f"{name}: {got}")


if __name__ == "__main__":
    main()

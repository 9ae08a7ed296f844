#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A device that cannot run graphs is refused, and `millrace info`, `millrace run` and the demo name what it lacks.

The device is that of MILLRACE_TEST_DEVICE_FILE. usage: refused_device.py MILLRACE DEMO SOURCES WHAT_IT_LACKS
"""
import json
import os
import pathlib
import subprocess
import sys

MILLRACE, DEMO, SOURCES, LACKS = sys.argv[1:]
LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_device"


def run(*command):
    environment = {**os.environ, "VK_INSTANCE_LAYERS": LAYERS}
    return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)


def main():
    info = json.loads(run(MILLRACE, "info", "--json").stdout)
    device = info["devices"][0]
    assert device["graphs"] == "none", device["graphs"]
    assert [row["name"] for row in device["missing"]] == [LACKS], device["missing"]
    text = run(MILLRACE, "info").stdout
    assert LACKS in text.split("\n\n")[0], text  # the first lines are for those who want no more
    first_graph = pathlib.Path(SOURCES) / "examples/first_graph/graph.json"
    for command in [(MILLRACE, "run", first_graph), (DEMO, "--size", 64, "--output", "none")]:
        result = run(*command)
        text = result.stdout + result.stderr
        print(text)
        assert result.returncode != 0 and "millrace info" in text, command
        assert f"lacks {LACKS}" in text, command


if __name__ == "__main__":
    main()

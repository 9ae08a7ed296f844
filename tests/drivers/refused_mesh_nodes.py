#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a driver's own mesh shaders cannot draw mesh nodes, `millrace info` and `millrace run` name what is missing for that.

The device is that of MILLRACE_TEST_DEVICE_FILE. usage: refused_mesh_nodes.py MILLRACE SOURCES WHAT_IT_LACKS
"""
import json
import os
import pathlib
import subprocess
import sys

MILLRACE, SOURCES, LACKS = sys.argv[1:]


def run(*command, **variables):
    environment = {**os.environ, "VK_INSTANCE_LAYERS": "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_device", **variables}
    return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)


def reason(words):
    result = run(MILLRACE, "info", "--json", VK_MILLRACE_EMULATION_ENABLE=words)
    missing = json.loads(result.stdout)["devices"][0]["missing"]
    return "".join(row["reason"] for row in missing if row["name"] == "shaderMeshEnqueue")


def main():
    assert reason("") == "the setting enable has no mesh_nodes"
    text = reason("mesh_nodes")
    assert f": {LACKS};" in text and "force_enable" in text, text
    result = run(MILLRACE, "run", pathlib.Path(SOURCES) / "examples/meadow/graph.json")
    print(result.stdout, result.stderr)
    assert result.returncode != 0 and f"lacks {LACKS}" in result.stderr, result.stderr


if __name__ == "__main__":
    main()

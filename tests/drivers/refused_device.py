#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A device that cannot run graphs is refused, and `millrace info`, `millrace run` and the demo name what it lacks. So do the
same and the forest of mesh shaders and generated commands, where only the layer could have them.

The device is that of MILLRACE_TEST_DEVICE_FILE. usage: refused_device.py MILLRACE DEMO FOREST SOURCES WHAT_IT_LACKS
"""
import json
import os
import pathlib
import subprocess
import sys

MILLRACE, DEMO, FOREST, SOURCES, LACKS = sys.argv[1:]
LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_device"


ENABLED = {"VK_MILLRACE_EMULATION_ENABLE": "mesh_shaders, generated_commands"}
EXTENSIONS = "VK_EXT_mesh_shader", "VK_EXT_device_generated_commands"


def run(*command, **variables):
    environment = {**os.environ, "VK_INSTANCE_LAYERS": LAYERS, **variables}
    return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)


def check_extensions():
    """What a setting asks the layer for, and the driver has not."""
    device = json.loads(run(MILLRACE, "info", "--json", **ENABLED).stdout)["devices"][0]
    reasons = {row["name"]: row["reason"] for row in device["missing"]}
    absent = [row["name"] for row in device["provided"] if row["name"] in EXTENSIONS and not row["driver"]]
    assert sorted(absent) == sorted(EXTENSIONS) or LACKS == "Vulkan 1.3", device["provided"]
    for name in absent:
        assert reasons[name].endswith(f": {LACKS}"), reasons
    first = run(MILLRACE, "info", **ENABLED).stdout.split("\n\n")[0]
    assert first.endswith(f"for want of {LACKS}"), first


def main():
    info = json.loads(run(MILLRACE, "info", "--json").stdout)
    device = info["devices"][0]
    assert device["graphs"] == "none", device["graphs"]
    assert [row["name"] for row in device["missing"]] == [LACKS], device["missing"]
    text = run(MILLRACE, "info").stdout
    assert LACKS in text.split("\n\n")[0], text  # the first lines are for those who want no more
    examples = pathlib.Path(SOURCES) / "examples"
    for command in [(MILLRACE, "run", examples / "first_graph/graph.json"), (MILLRACE, "run", examples / "meadow/graph.json"),
                    (DEMO, "--size", 64, "--output", "none"), (FOREST,)]:
        result = run(*command, **ENABLED)
        text = result.stdout + result.stderr
        print(text)
        assert result.returncode != 0 and "millrace info" in text, command
        assert f"lacks {LACKS}" in text, command
    check_extensions()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace info` names the limits of the layer's mesh shaders that are less than their extension asks for, which they are on
the device of MILLRACE_TEST_DEVICE_FILE alone. usage: mesh_limits.py MILLRACE NAME...
"""
import json
import os
import subprocess
import sys

MILLRACE, NAMES = sys.argv[1], sys.argv[2:]


def reasons(layers, **variables):
    environment = {**os.environ, "VK_INSTANCE_LAYERS": layers, **variables}
    result = subprocess.run([MILLRACE, "info", "--json"], env=environment, capture_output=True, text=True, check=False)
    missing = json.loads(result.stdout)["devices"][0]["missing"]
    return [row["reason"] for row in missing if row["name"] == "VK_EXT_mesh_shader"]


def main():
    emulation = "VK_LAYER_MILLRACE_emulation"
    enabled = {"VK_MILLRACE_EMULATION_ENABLE": "mesh_shaders", "VK_MILLRACE_EMULATION_FORCE_ENABLE": "true"}
    small = f"{emulation}:VK_LAYER_MILLRACE_test_device"
    reason, = reasons(small, **enabled)
    named = [part.split()[0] for part in reason.split(": ")[1].split(", ")]
    assert named == NAMES, reason
    assert not reasons(small), "the setting is off"
    assert not reasons(emulation, **enabled), "the driver has enough"


if __name__ == "__main__":
    main()

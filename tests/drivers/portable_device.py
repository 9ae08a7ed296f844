#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of ours find a device that implements less than all of Vulkan, and create it as Vulkan says.

The loader hides drivers whose manifest calls them portable from who does not ask for them, and their devices must be
created with VK_KHR_portability_subset. The driver is that of VK_DRIVER_FILES, called portable; the device is that of
MILLRACE_TEST_DEVICE_FILE. usage: portable_device.py MILLRACE DEMO FOREST SOURCES
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MILLRACE, DEMO, FOREST, SOURCES = sys.argv[1:]
EMULATION = "VK_LAYER_MILLRACE_emulation"
BELOW = ["VK_LAYER_KHRONOS_validation", "VK_LAYER_MILLRACE_test_device"]


def portable_manifest(folder):
    manifest = pathlib.Path(os.environ["VK_DRIVER_FILES"].split(":")[0])
    text = json.loads(manifest.read_text(encoding="utf-8"))
    library = text["ICD"]["library_path"]
    # A name without folders is one that the system finds.
    text["ICD"]["library_path"] = str(manifest.parent / library) if "/" in library else library
    text["ICD"]["is_portability_driver"] = True
    out = pathlib.Path(folder) / "portable.json"
    out.write_text(json.dumps(text), encoding="utf-8")
    return out


def run(environment, *command, layers=(EMULATION, *BELOW)):
    result = subprocess.run(list(map(str, command)), env={**environment, "VK_INSTANCE_LAYERS": ":".join(layers)},
                            capture_output=True, text=True, check=False)
    print(result.stdout, result.stderr)
    assert result.returncode == 0, command
    assert "VUID-" not in result.stdout + result.stderr, command
    return result.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "VK_DRIVER_FILES": str(portable_manifest(folder))}
        # The tool puts the layer itself on top.
        text = run(environment, MILLRACE, "info", "--json", layers=BELOW)
        info = json.loads(text[text.index("{"):])  # behind what the validation layer says of the tool's dispatch tables
        assert [device["graphs"] for device in info["devices"]] == ["millrace"], info
        assert info["devices"][0]["traits"], info  # which a device was created for
        run(environment, MILLRACE, "run", pathlib.Path(SOURCES) / "examples/first_graph/graph.json", layers=BELOW)
        run(environment, DEMO, "--size", 64, "--iterations", 50, "--output", "none")
        run({**environment, "VK_MILLRACE_EMULATION_ENABLE": "generated_commands",
             "VK_MILLRACE_EMULATION_FORCE_ENABLE": "true"}, FOREST, pathlib.Path(folder) / "forest.png")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Pipelines that the layer makes for a GPU, written down on another driver and compiled by RADV, which compiles for any AMD
GPU without one (RADV_FORCE_FAMILY)."""

import os
import pathlib
import re
import subprocess

SKIPPED = 77
FAMILIES = {"polaris10": "GFX8", "vega10": "GFX9", "navi10": "GFX10.1", "navi21": "GFX10.3", "navi31": "GFX11",
            "gfx1201": "GFX12"}
# What the layer chooses for GPUs (runtime/device_traits.cpp), where the pipelines are recorded on a processor.
TRAITS = "static_invocations=256,dynamic_invocations=64,leaf_rows=16,looping_leaf_rows=1,kept_bytes=1024,sweeps_per_wait=16"
BOTH_LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_record"


def manifests():
    found = []
    for folder in ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"):
        found += sorted(map(str, pathlib.Path(folder).glob("radeon_icd*.json")))
    return found


class Radv:
    def __init__(self, compiler, layers, emulation):
        self.compiler, self.layers, self.emulation = compiler, layers, emulation

    def record(self, folder, command, **environment):
        """Runs the command. The folder gets the pipelines that the driver is asked for."""
        folder.mkdir(exist_ok=True)
        environment = {**os.environ, "MILLRACE_TEST_PIPELINES": str(folder),
                       "VK_ADD_LAYER_PATH": f"{self.emulation}:{self.layers}", "VK_MILLRACE_EMULATION_TRAITS": TRAITS,
                       **environment}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        assert any(folder.glob("*.spv")), f"{command} made no pipeline"

    def compile_for(self, family, folder):
        """{pipeline: {statistic: value}}; None without RADV. Nothing is spilled."""
        environment = {**os.environ, "VK_DRIVER_FILES": ":".join(manifests()), "RADV_FORCE_FAMILY": family,
                       "VK_LOADER_LAYERS_DISABLE": "~all~", "MESA_SHADER_CACHE_DISABLE": "true"}
        result = subprocess.run([self.compiler, folder], capture_output=True, text=True, check=False, env=environment)
        if result.returncode == SKIPPED:
            return None
        assert result.returncode == 0, (family, folder, result.returncode, result.stdout[-1000:], result.stderr)
        out = {}
        for pipeline, name, value in re.findall(r"^(\d+): (.+) = (\d+)$", result.stdout, re.MULTILINE):
            out.setdefault(pipeline, {})[name] = int(value)
        assert len(out) == len(list(folder.glob("*.spv"))), (family, folder)
        spills = {pipeline: values["Spilled VGPRs"] + values["Spilled SGPRs"] for pipeline, values in out.items()}
        spilling = [f"{pipeline}.spv {count}" for pipeline, count in spills.items() if count]
        assert not spilling, f"{family}: of {len(out)} pipelines in {folder} some spill registers: {', '.join(spilling)}"
        return out

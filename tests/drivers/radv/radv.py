# SPDX-License-Identifier: Apache-2.0
"""Pipelines that the layer makes for a GPU, written down on another driver and compiled by drivers that need no hardware for
that: RADV (RADV_FORCE_FAMILY), and Intel's with a stand-in for the kernel's device."""

import os
import pathlib
import re
import subprocess

SKIPPED = 77
# What the layer chooses for GPUs (runtime/device_traits.cpp), where the pipelines are recorded on a processor.
TRAITS = "static_invocations=256,dynamic_invocations=64,leaf_rows=16,looping_leaf_rows=1,kept_bytes=1024,sweeps_per_wait=16"
BOTH_LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_record"
FOLDERS = ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d")


class Driver:
    """One of a GPU's maker, with names of GPUs and which of its statistics count spilled registers; `in_memory`: those that
    go to memory."""

    def __init__(self, manifest, gpus, variable, spills, in_memory, environment):
        self.manifests = [str(path) for folder in FOLDERS for path in sorted(pathlib.Path(folder).glob(manifest))]
        self.gpus, self.variable, self.spills, self.environment = gpus, variable, spills, environment
        self.in_memory = in_memory


def radv():
    return Driver("radeon_icd*.json", {"polaris10": "GFX8", "vega10": "GFX9", "navi10": "GFX10.1", "navi21": "GFX10.3",
                                       "navi31": "GFX11", "gfx1201": "GFX12"},
                  "RADV_FORCE_FAMILY", ("Spilled VGPRs", "Spilled SGPRs"), ("Spilled VGPRs",), {})


def intel(stub):
    """With Mesa's intel_noop_drm_shim, which takes the place of the kernel's device."""
    return Driver("intel_icd*.json", {"skl": "Gen 9", "tgl": "Xe-LP", "dg2": "Xe-HPG", "mtl": "Xe-LPG", "lnl": "Xe2"},
                  "INTEL_STUB_GPU_PLATFORM", ("Spill Count", "Fill Count"), ("Spill Count", "Fill Count"),
                  {"LD_PRELOAD": stub})


class Pipelines:
    """Makes them with the layer on a driver that runs them, and compiles them with one that need not."""

    def __init__(self, driver, compiler, layers, emulation):
        self.driver, self.compiler, self.layers, self.emulation = driver, compiler, layers, emulation

    def record(self, folder, command, **environment):
        """Runs the command. The folder gets the pipelines that the driver is asked for."""
        folder.mkdir(exist_ok=True)
        environment = {**os.environ, "MILLRACE_TEST_PIPELINES": str(folder),
                       "VK_ADD_LAYER_PATH": f"{self.emulation}:{self.layers}", "VK_MILLRACE_EMULATION_TRAITS": TRAITS,
                       **environment}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        assert any(folder.glob("*.spv")), f"{command} made no pipeline"

    def record_examples(self, millrace, source, folder):
        folder.mkdir()
        for path in sorted(source.glob("examples/*/graph.json")):
            self.record(folder / path.parent.name, [millrace, "run", str(path)], VK_INSTANCE_LAYERS=BOTH_LAYERS)

    def compile_for(self, gpu, folder):
        """{pipeline: {statistic: value}}; None without the driver."""
        environment = {**os.environ, "VK_DRIVER_FILES": ":".join(self.driver.manifests), self.driver.variable: gpu,
                       "VK_LOADER_LAYERS_DISABLE": "~all~", "MESA_SHADER_CACHE_DISABLE": "true", **self.driver.environment}
        result = subprocess.run([self.compiler, folder], capture_output=True, text=True, check=False, env=environment)
        if result.returncode == SKIPPED:
            return None
        assert result.returncode == 0, (gpu, folder, result.returncode, result.stdout[-1000:], result.stderr)
        out = {}
        for pipeline, name, value in re.findall(r"^(\d+): (.+) = (\d+)$", result.stdout, re.MULTILINE):
            out.setdefault(pipeline, {})[name] = int(value)
        assert len(out) == len(list(folder.glob("*.spv"))), (gpu, folder)
        return out

    def spills(self, pipelines, of=None):
        """{pipeline: registers}, of those that spill any."""
        names = of or self.driver.spills
        counts = {pipeline: max(values[name] for name in names) for pipeline, values in pipelines.items()}
        return {pipeline: count for pipeline, count in counts.items() if count}

    def check_spills(self, gpu, folder, pipelines):
        spills = self.spills(pipelines)
        assert not spills, f"{gpu}: of {len(pipelines)} pipelines in {folder} some spill registers: {spills}"

    def check_spills_to_memory(self, gpu, folder, pipelines):
        """A node of somebody's may need more scalar registers than a GPU has, which go to lanes of vector registers."""
        spills = self.spills(pipelines, self.driver.in_memory)
        assert not spills, f"{gpu}: of {len(pipelines)} pipelines in {folder} some spill registers to memory: {spills}"
        return self.spills(pipelines)

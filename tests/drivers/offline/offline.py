# SPDX-License-Identifier: Apache-2.0
"""Pipelines that the layer makes for a GPU, written down on another driver and compiled by drivers that need no hardware for
that: RADV (RADV_FORCE_FAMILY), and others of Mesa with a stand-in for the kernel's device, or on another processor."""

import os
import pathlib
import re
import subprocess

SKIPPED = 77
# What the layer chooses for GPUs (runtime/device_traits.cpp), where the pipelines are recorded on a processor.
TRAITS = "static_invocations=256,dynamic_invocations=64,leaf_rows=16,looping_leaf_rows=1,kept_bytes=1024,sweeps_per_wait=16"
BOTH_LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_record"
FOLDERS = ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d")
# Programs of the examples that are more than a graph.
PROGRAMS = {
    "mandelbrot": (["mandelbrot/mandelbrot", "--size", "300", "--iterations", "100", "--output", "none"], {}),
    "forest": (["forest/forest"],
               {"VK_MILLRACE_EMULATION_ENABLE": "generated_commands", "VK_MILLRACE_EMULATION_FORCE_ENABLE": "true"}),
}


class Driver:
    """One of a GPU's maker. `gpus`: {name: (generation, value of the environment's `variable`)}; `statistics`: those that
    are compared, {name: max or min, what is worse}; `spills`: those that count spilled registers, `in_memory`: of these,
    those that go to memory; `counts_arrays`: `spills` are memory of an invocation, and arrays of the shader are there too;
    `command`: what runs the compiler on another processor."""

    def __init__(self, manifest, variable, gpus, statistics, spills, in_memory=None, counts_arrays=False, environment=None,
                 folders=FOLDERS, command=()):
        self.manifests = [str(path) for folder in folders for path in sorted(pathlib.Path(folder).glob(manifest))]
        self.gpus, self.variable, self.statistics, self.spills = gpus, variable, statistics, spills
        self.in_memory, self.counts_arrays = in_memory or spills, counts_arrays
        self.environment, self.command = environment or {}, list(command)


def radv():
    gpus = {"polaris10": "GFX8", "vega10": "GFX9", "navi10": "GFX10.1", "navi21": "GFX10.3", "navi31": "GFX11",
            "gfx1201": "GFX12"}
    return Driver("radeon_icd*.json", "RADV_FORCE_FAMILY", {name: (generation, name) for name, generation in gpus.items()},
                  {"VGPRs": max, "SGPRs": max, "LDS size": max, "Subgroups per SIMD": min},
                  ("Spilled VGPRs", "Spilled SGPRs"), ("Spilled VGPRs",))


def intel(stub):
    """With Mesa's intel_noop_drm_shim, which takes the place of the kernel's device."""
    gpus = {"skl": "Gen 9", "tgl": "Xe-LP", "dg2": "Xe-HPG", "mtl": "Xe-LPG", "lnl": "Xe2"}
    return Driver("intel_icd*.json", "INTEL_STUB_GPU_PLATFORM",
                  {name: (generation, name) for name, generation in gpus.items()}, {}, ("Spill Count", "Fill Count"),
                  environment={"LD_PRELOAD": stub})


def nvk(stub):
    """With Mesa's nouveau_noop_drm_shim. That of Mesa 25.0 knows no later GPUs. Those before Turing NVK has for testing
    alone."""
    gpus = {"gm204": ("Maxwell", "124"), "gp104": ("Pascal", "134"), "gv100": ("Volta", "140"), "tu104": ("Turing", "164"),
            "ga104": ("Ampere", "174")}
    return Driver("nouveau_icd*.json", "NOUVEAU_CHIPSET", gpus, {"Number of GPRs": max, "SLM Size": max}, ("SLM Size",),
                  counts_arrays=True, environment={"LD_PRELOAD": stub, "NVK_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"})


def turnip(root):
    """On AArch64, with Mesa's freedreno_noop_drm_shim; `root` has Debian's packages for that (docs/drivers.md). STP and LDP
    are what goes to memory of an invocation."""
    gpus = {"a630": ("Adreno 630", "630"), "a650": ("Adreno 650", "650"), "a660": ("Adreno 660", "660"),
            "a740": ("Adreno 740", "740")}
    shim = "/usr/lib/aarch64-linux-gnu/libfreedreno_noop_drm_shim.so"
    return Driver("freedreno_icd*.json", "FD_GPU_ID", gpus,
                  {"Registers used": max, "STP Count": max, "LDP Count": max, "Max Waves Per Core": min},
                  ("STP Count", "LDP Count"), counts_arrays=True, folders=(f"{root}/usr/share/vulkan/icd.d",),
                  command=["qemu-aarch64", "-L", root, "-E", f"LD_PRELOAD={shim}"])


class Pipelines:
    """Makes them with the layer on a driver that runs them, and compiles them with one that need not. `build`: the folder of
    the build; `compiler`: compile_pipelines, where it is not that of the build."""

    def __init__(self, driver, build, compiler=None):
        self.driver, self.build = driver, pathlib.Path(build)
        self.compiler = compiler or self.build / "tests/drivers/offline/compile_pipelines"

    def record(self, folder, command, **environment):
        """Runs the command. The folder gets the pipelines that the driver is asked for."""
        folder.mkdir(exist_ok=True)
        layers = f"{self.build / 'src/layer'}:{self.build / 'tests/drivers/offline'}"
        environment = {**os.environ, "MILLRACE_TEST_PIPELINES": str(folder), "VK_ADD_LAYER_PATH": layers,
                       "VK_MILLRACE_EMULATION_TRAITS": TRAITS, **environment}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        assert any(folder.glob("*.pipeline")), f"{command} made no pipeline"

    def run_graph(self, folder, graph, *options, **environment):
        self.record(folder, [self.build / "tools/millrace", "run", graph, *options], VK_INSTANCE_LAYERS=BOTH_LAYERS,
                    **environment)

    def record_examples(self, source, folder):
        folder.mkdir()
        for path in sorted(source.glob("examples/*/graph.json")):
            self.run_graph(folder / path.parent.name, path)

    def record_programs(self, folder):
        folder.mkdir()
        for name, (command, environment) in PROGRAMS.items():
            self.record(folder / name, [self.build / "examples" / command[0], *command[1:]], VK_INSTANCE_LAYERS=BOTH_LAYERS,
                        **environment)

    def compile_for(self, gpu, folder):
        """{"NUMBER.STAGE": {statistic: value}}; None without the driver."""
        environment = {**os.environ, "VK_DRIVER_FILES": ":".join(self.driver.manifests),
                       self.driver.variable: self.driver.gpus[gpu][1], "VK_LOADER_LAYERS_DISABLE": "~all~",
                       "MESA_SHADER_CACHE_DISABLE": "true", **self.driver.environment}
        result = subprocess.run([*self.driver.command, self.compiler, folder], capture_output=True, text=True, check=False,
                                env=environment)
        if result.returncode == SKIPPED:
            return None
        assert result.returncode == 0, (gpu, folder, result.returncode, result.stdout[-1000:], result.stderr)
        out = {}
        for shader, name, value in re.findall(r"^([\d.]+): (.+) = (\d+)$", result.stdout, re.MULTILINE):
            out.setdefault(shader, {})[name] = int(value)
        assert {shader.split(".")[0] for shader in out} == {path.stem for path in folder.glob("*.pipeline")}, (gpu, folder)
        return out

    def spills(self, shaders, of=None):
        """{shader: registers}, of those that spill any."""
        names = of or self.driver.spills
        counts = {shader: max(values.get(name, 0) for name in names) for shader, values in shaders.items()}
        return {shader: count for shader, count in counts.items() if count}

    def check_spills(self, gpu, folder, shaders):
        """Not of a driver that counts arrays too: what it says are figures (figures.py)."""
        spills = {} if self.driver.counts_arrays else self.spills(shaders)
        assert not spills, f"{gpu}: of {len(shaders)} shaders in {folder} some spill registers: {spills}"

    def check_spills_to_memory(self, gpu, folder, shaders):
        """A node of somebody's may need more scalar registers than a GPU has, which go to lanes of vector registers."""
        spills = self.spills(shaders, self.driver.in_memory)
        assert not spills, f"{gpu}: of {len(shaders)} shaders in {folder} some spill registers to memory: {spills}"
        return self.spills(shaders)

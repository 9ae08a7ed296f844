#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The advisor's numbers against those of RADV, which compiles for any AMD GPU without one (RADV_FORCE_FAMILY): of the
shaders in a folder, and of random ones.

Usage: against_radv.py MILLRACE RADV_STATISTICS FOLDER_OF_SHADERS GLSLANG [FIRST_SEED COUNT]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from random_shaders import MeshShader

MILLRACE, STATISTICS, FOLDER, GLSLANG = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
FIRST, COUNT = (int(sys.argv[5]), int(sys.argv[6])) if len(sys.argv) > 6 else (0, 60)
SKIPPED = 77
# A GPU of each of the advisor's, as RADV calls it.
FAMILIES = {"gfx10.3": "navi21", "gfx11": "navi31", "gfx11-small": "navi33", "gfx12": "gfx1201"}


def manifests():
    found = []
    for folder in ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"):
        found += sorted(map(str, pathlib.Path(folder).glob("radeon_icd*.json")))
    return found


def statistics_of(files, family, wave):
    """{stage: {name: value}}; None without RADV."""
    environment = {**os.environ, "VK_DRIVER_FILES": ":".join(manifests()), "RADV_FORCE_FAMILY": family,
                   "VK_LOADER_LAYERS_DISABLE": "~all~", "MESA_SHADER_CACHE_DISABLE": "true"}
    if wave == 32:
        environment["RADV_PERFTEST"] = "gewave32,cswave32"
    result = subprocess.run([STATISTICS, *(f"{stage}={path}" for stage, path in files.items())], capture_output=True,
                            text=True, check=False, env=environment)
    if result.returncode == SKIPPED:
        return None
    assert result.returncode == 0, (files, family, result.stdout, result.stderr)
    out = {}
    for stage, name, value in re.findall(r"^(\w+): (.+) = (\d+)$", result.stdout, re.MULTILINE):
        out.setdefault(stage, {})[name] = int(value)
    return out


def advice_on(path):
    result = subprocess.run([MILLRACE, "advise", path, "--json"], capture_output=True, text=True, check=True)
    [shader] = json.loads(result.stdout)["shaders"]
    return {plan["gpu"]: plan for plan in shader["gpus"]}


def waves_by_registers(launch, registers):
    return max((row["waves"] for row in launch["most_registers"] if registers <= row["registers"]), default=0)


def waves_of(plan, told, stage):
    [launch] = [launch for launch in plan["waves"] if launch["wave_size"] == told["wave"]]
    waves = waves_by_registers(launch, told["VGPRs"])
    # Of local data share RADV knows for task shaders only. It counts waves of 32.
    if stage == "task":
        waves = min(waves, launch["waves_per_simd"])
    return waves * (told["wave"] // 32)


def compare(plans, gpu, told, stage):
    """Yields numbers: (what, the advisor's, RADV's)."""
    yield "local data share", plans[gpu]["lds"]["encoded_bytes"], told["LDS size"]
    waves = waves_of(plans[gpu], told, stage)
    # Mesa 25.0 compiles for GFX12 with 1,536 registers, but without hardware counts waves with 1,024.
    if gpu == "gfx12" and waves != told["Subgroups per SIMD"]:
        waves = waves_of(plans["gfx11-small"], told, stage)
    yield "waves", waves, told["Subgroups per SIMD"]


def is_near(estimate, registers):
    return abs(estimate - registers) <= max(9, registers / 2)


class Comparison:
    """Counts what was compared, and keeps what differs."""

    def __init__(self, estimates):
        self.estimates = estimates  # whether registers are compared
        self.compared, self.differences = 0, []

    def shaders(self, name, files, gpus, waves):
        """False without RADV. `files` are modules by stage, with one of the fragment shader."""
        advice = {stage: advice_on(path) for stage, path in files.items() if stage != "frag"}
        for gpu in gpus:
            if not all(plans[gpu]["lds"]["fits"] for plans in advice.values()):
                continue
            for wave in waves:
                told = statistics_of(files, FAMILIES[gpu], wave)
                if told is None:
                    return False
                for stage, plans in advice.items():
                    self.numbers(f"{name} {stage} {gpu} wave{wave}", plans, gpu, told[stage], stage)
        return True

    def numbers(self, where, plans, gpu, told, stage):
        for what, ours, theirs in compare(plans, gpu, told, stage):
            self.compared += 1
            if ours != theirs:
                self.differences.append(f"{where}: {what} {ours}, RADV says {theirs}")
        # As the driver counts them before it moves code to where more registers do no harm.
        estimate, registers = plans[gpu]["registers_estimate"], told["Pre-Sched VGPRs"]
        if self.estimates and not is_near(estimate, registers):
            self.differences.append(f"{where}: about {estimate} registers, RADV has {registers}")


def compile_random(seed, folder):
    shader = MeshShader(seed)
    files = {}
    for stage, source in (("mesh", shader.mesh), ("frag", shader.frag)):
        path = folder / f"{seed}.{stage}"
        path.write_text(source)
        files[stage] = folder / f"{seed}_{stage}.spv"
        result = subprocess.run([GLSLANG, "-V", "--target-env", "vulkan1.3", "--quiet", path, "-o", files[stage]],
                                capture_output=True, text=True, check=False)
        assert result.returncode == 0, (seed, result.stdout, source)
    return files


def main():
    if not manifests():
        print("skipped: no RADV")
        return SKIPPED
    comparison = Comparison(estimates=True)
    for mesh in sorted(FOLDER.glob("*_mesh.spv")):
        name = mesh.stem.removesuffix("_mesh")
        files = {stage: FOLDER / f"{name}_{stage}.spv" for stage in ("task", "mesh", "frag")}
        files = {stage: path for stage, path in files.items() if path.exists()}
        if "frag" in files and not comparison.shaders(name, files, FAMILIES, (64, 32)):
            print("skipped: RADV has no mesh shaders without hardware")
            return SKIPPED
    chosen = comparison.compared
    comparison.estimates = False
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(FIRST, FIRST + COUNT):
            comparison.shaders(f"seed {seed}", compile_random(seed, pathlib.Path(folder)), ("gfx10.3", "gfx11"), (64,))
    print("\n".join([*comparison.differences,
                     f"{chosen} numbers of the folder and {comparison.compared - chosen} of random shaders compared, "
                     f"{len(comparison.differences)} differ"]))
    return 1 if comparison.differences or chosen < 250 or comparison.compared - chosen < 2 * COUNT else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The advisor's numbers against those of RADV, which compiles for any AMD GPU without one (RADV_FORCE_FAMILY).

Usage: against_radv.py MILLRACE RADV_STATISTICS FOLDER_OF_SHADERS
"""

import json
import os
import pathlib
import re
import subprocess
import sys

MILLRACE, STATISTICS, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
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


def main():
    if not manifests():
        print("no RADV")
        return SKIPPED
    compared = 0
    differences = []
    for mesh in sorted(FOLDER.glob("*_mesh.spv")):
        name = mesh.stem.removesuffix("_mesh")
        files = {stage: FOLDER / f"{name}_{stage}.spv" for stage in ("task", "mesh", "frag")}
        files = {stage: path for stage, path in files.items() if path.exists()}
        if "frag" not in files:
            continue
        advice = {stage: advice_on(path) for stage, path in files.items() if stage != "frag"}
        for gpu, family in FAMILIES.items():
            for wave in (64, 32):
                told = statistics_of(files, family, wave)
                if told is None:
                    print("RADV has no mesh shaders without hardware")
                    return SKIPPED
                for stage, plans in advice.items():
                    for what, ours, theirs in compare(plans, gpu, told[stage], stage):
                        compared += 1
                        if ours != theirs:
                            differences.append(f"{name} {stage} {gpu} wave{wave}: {what} {ours}, RADV says {theirs}, "
                                               f"{told[stage]['VGPRs']} registers")
    print("\n".join([*differences, f"{compared} numbers compared, {len(differences)} differ"]))
    return 1 if differences or compared < 250 else 0


if __name__ == "__main__":
    sys.exit(main())

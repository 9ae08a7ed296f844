#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What RADV, which compiles for any AMD GPU without one (RADV_FORCE_FAMILY), makes of our pipelines: those of the examples,
as the layer makes them for a GPU, and of another program. Each compiles for each family without a spilled register. Registers,
local memory and waves of the examples are not worse by more than a tenth than docs/performance.md says.

Usage: radv_pipelines.py MILLRACE COMPILE_PIPELINES LAYER_FOLDER EMULATION_FOLDER SOURCE PROGRAM ARGUMENT...
       without PROGRAM it prints the table of docs/performance.md
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

MILLRACE, COMPILE, LAYERS, EMULATION = map(os.path.abspath, sys.argv[1:5])
SOURCE = pathlib.Path(sys.argv[5]).resolve()
PROGRAM = [*map(os.path.abspath, sys.argv[6:7]), *sys.argv[7:]]
SKIPPED = 77
FAMILIES = {"polaris10": "GFX8", "vega10": "GFX9", "navi10": "GFX10.1", "navi21": "GFX10.3", "navi31": "GFX11",
            "gfx1201": "GFX12"}
# What the layer chooses for GPUs (runtime/device_traits.cpp), where the pipelines are recorded on a processor.
TRAITS = "static_invocations=256,dynamic_invocations=64,leaf_rows=16,looping_leaf_rows=1,kept_bytes=1024,sweeps_per_wait=16"
BOTH_LAYERS = "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_record"
COLUMNS = ["median of VGPRs", "most VGPRs", "median of LDS bytes", "most LDS bytes", "median of waves", "fewest waves"]
MORE_IS_WORSE = 4  # of the columns


def manifests():
    found = []
    for folder in ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"):
        found += sorted(map(str, pathlib.Path(folder).glob("radeon_icd*.json")))
    return found


def record(folder, command, **environment):
    """Runs the command in a folder that takes what it makes."""
    folder.mkdir()
    environment = {**os.environ, "MILLRACE_TEST_PIPELINES": str(folder), "VK_ADD_LAYER_PATH": f"{EMULATION}:{LAYERS}",
                   "VK_MILLRACE_EMULATION_TRAITS": TRAITS, **environment}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    assert result.returncode == 0, (command, result.stdout, result.stderr)
    assert any(folder.glob("*.spv")), f"{command} made no pipeline"


def compile_for(family, folder):
    """{pipeline: {statistic: value}}; None without RADV."""
    environment = {**os.environ, "VK_DRIVER_FILES": ":".join(manifests()), "RADV_FORCE_FAMILY": family,
                   "VK_LOADER_LAYERS_DISABLE": "~all~", "MESA_SHADER_CACHE_DISABLE": "true"}
    result = subprocess.run([COMPILE, folder], capture_output=True, text=True, check=False, env=environment)
    if result.returncode == SKIPPED:
        return None
    assert result.returncode == 0, (family, folder, result.returncode, result.stdout[-1000:], result.stderr)
    out = {}
    for pipeline, name, value in re.findall(r"^(\d+): (.+) = (\d+)$", result.stdout, re.MULTILINE):
        out.setdefault(pipeline, {})[name] = int(value)
    assert len(out) == len(list(folder.glob("*.spv"))), (family, folder)
    return out


def check_spills(family, folder, pipelines):
    for pipeline, values in pipelines.items():
        spilled = values["Spilled VGPRs"] + values["Spilled SGPRs"]
        assert spilled == 0, f"{family}: {folder}/{pipeline}.spv spills {spilled} registers"


def figures(pipelines):
    vgprs = [values["VGPRs"] for values in pipelines.values()]
    lds = [values["LDS size"] for values in pipelines.values()]
    waves = [values["Subgroups per SIMD"] for values in pipelines.values()]
    return [round(statistics.median(vgprs)), max(vgprs), round(statistics.median(lds)), max(lds),
            round(statistics.median(waves)), min(waves)]


def documented():
    """{family: figures}, of the table in docs/performance.md."""
    text = (SOURCE / "docs/performance.md").read_text()
    rows = re.findall(r"^\| (\w+) \(GFX[\d.]+\) \|((?: \d+ \|){6})$", text, re.MULTILINE)
    return {family: [int(cell) for cell in cells.replace("|", " ").split()] for family, cells in rows}


def compile_examples(family, examples):
    out = {}
    for folder in sorted(examples.iterdir()):
        pipelines = compile_for(family, folder)
        if pipelines is None:
            return None
        check_spills(family, folder, pipelines)
        out |= {(folder.name, pipeline): values for pipeline, values in pipelines.items()}
    return out


def check_growth(family, found, known):
    for column, (value, limit) in enumerate(zip(found, known, strict=True)):
        worse = value > limit * 1.1 if column < MORE_IS_WORSE else value < limit * 0.9
        assert not worse, f"{family}: {COLUMNS[column]} {value}, docs/performance.md has {limit}"


def main():
    if not manifests():
        print("no RADV")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        examples, program = pathlib.Path(temporary, "examples"), pathlib.Path(temporary, "program")
        examples.mkdir()
        for path in sorted(SOURCE.glob("examples/*/graph.json")):
            record(examples / path.parent.name, [MILLRACE, "run", str(path)], VK_INSTANCE_LAYERS=BOTH_LAYERS)
        if PROGRAM:
            record(program, PROGRAM)
        for family, generation in FAMILIES.items():
            pipelines = compile_examples(family, examples)
            if pipelines is None:
                print("no RADV")
                return SKIPPED
            if not PROGRAM:
                print(f"| {family} ({generation}) | " + " | ".join(map(str, figures(pipelines))) + " |")
                continue
            check_growth(family, figures(pipelines), documented()[family])
            of_program = compile_for(family, program)
            check_spills(family, program, of_program)
            print(f"{family}: {len(pipelines)} pipelines of examples, {len(of_program)} of {pathlib.Path(PROGRAM[0]).name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What RADV makes of our pipelines without a GPU (offline.py): those of the examples, of the device functions
(device_functions.py), of the kernels (kernels.py) and of another program. Each compiles for each family. None spills registers
to memory, and those of the examples, of the device functions and of the kernels spill none at all. Registers, local memory and
waves of the examples are not worse by more than a tenth than docs/performance.md says, and those of the device functions and
kernels not than figures.txt says.

Usage: radv_pipelines.py BUILD SOURCE [PROGRAM ARGUMENT...]
       without PROGRAM it prints the tables of docs/performance.md, and figures.txt
"""

import os
import pathlib
import re
import statistics
import sys
import tempfile

import device_functions
import figures
import kernels
from offline import SKIPPED, Pipelines, radv

BUILD, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PROGRAM = [*map(os.path.abspath, sys.argv[3:4]), *sys.argv[4:]]
COLUMNS = ["median of VGPRs", "most VGPRs", "median of LDS bytes", "most LDS bytes", "median of waves", "fewest waves"]
MORE_IS_WORSE = 4  # of the columns
COMPUTE = ".32"  # behind the number of a compute shader


def figures_of(shaders):
    pipelines = {name: values for name, values in shaders.items() if name[1].endswith(COMPUTE)}
    vgprs = [values["VGPRs"] for values in pipelines.values()]
    lds = [values["LDS size"] for values in pipelines.values()]
    waves = [values["Subgroups per SIMD"] for values in pipelines.values()]
    return [round(statistics.median(vgprs)), max(vgprs), round(statistics.median(lds)), max(lds),
            round(statistics.median(waves)), min(waves)]


def documented():
    """{family: cells}, of the tables in docs/performance.md: six numbers, and one cell for each build."""
    rows = {}
    for family, cells in re.findall(r"^\| (\w+) \(GFX[\d.]+\) \|(.+)\|$", (SOURCE / "docs/performance.md").read_text(),
                                    re.MULTILINE):
        rows.setdefault(family, []).extend(cell.strip() for cell in cells.split("|"))
    return rows


def compile_examples(offline, family, examples):
    out = {}
    for folder in sorted(examples.iterdir()):
        pipelines = offline.compile_for(family, folder)
        if pipelines is None:
            return None
        offline.check_spills(family, folder, pipelines)
        out |= {(folder.name, pipeline): values for pipeline, values in pipelines.items()}
    return out


def check_growth(family, found, known):
    for column, (value, limit) in enumerate(zip(found, known, strict=True)):
        worse = value > limit * 1.1 if column < MORE_IS_WORSE else value < limit * 0.9
        assert not worse, f"{family}: {COLUMNS[column]} {value}, docs/performance.md has {limit}"


def check_documents(family, found):
    cells = documented()[family]
    check_growth(family, found, [int(cell) for cell in cells[:len(COLUMNS)]])
    told = device_functions.cells(figures.known()[family])
    assert cells[len(COLUMNS):] == told, f"{family}: docs/performance.md has {cells[len(COLUMNS):]}, figures.txt {told}"


def print_rows(rows, new_figures):
    for title, cells in rows:
        print(f"| {title} | " + " | ".join(map(str, cells)) + " |")
    print("\n".join(new_figures))


def main():
    driver = radv()
    if not driver.manifests:
        print("no RADV")
        return SKIPPED
    offline = Pipelines(driver, BUILD)
    with tempfile.TemporaryDirectory() as temporary:
        names = ("examples", "programs", "builds", "kernels", "program")
        examples, programs, builds, around, program = (pathlib.Path(temporary, name) for name in names)
        offline.record_examples(SOURCE, examples)
        offline.record_programs(programs)
        device_functions.record(offline, builds)
        kernels.record(offline, around)
        if PROGRAM:
            offline.record(program, PROGRAM)
        rows, new_figures = [], []
        for family, (generation, _) in driver.gpus.items():
            pipelines = compile_examples(offline, family, examples)
            if pipelines is None:
                print("no RADV")
                return SKIPPED
            of_programs = compile_examples(offline, family, programs)
            functions = device_functions.measure(offline, family, builds)
            measured = functions | kernels.measure(offline, family, around)
            if not PROGRAM:
                rows.append((f"{family} ({generation})", figures_of(pipelines) + device_functions.cells(functions)))
                new_figures += figures.lines(family, measured)
                continue
            figures.check(driver.statistics, family, measured)
            check_documents(family, figures_of(pipelines))
            of_program = offline.compile_for(family, program)
            spills = offline.check_spills_to_memory(family, program, of_program)
            print(f"{family}: {len(pipelines)} shaders of examples, {len(of_programs)} of their programs, {len(measured)} kinds "
                  f"of device functions and kernels, {len(of_program)} of {pathlib.Path(PROGRAM[0]).name}, of which "
                  f"{len(spills)} keep scalar registers in vector registers: {spills}", flush=True)
        print_rows(rows, new_figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

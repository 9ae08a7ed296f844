#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What RADV makes of our pipelines without a GPU (radv.py): those of the examples, of the device functions
(device_functions.py) and of another program. Each compiles for each family. None spills registers to memory, and those of
the examples and of the device functions spill none at all. Registers, local memory and waves of the examples are not worse
by more than a tenth than docs/performance.md says.

Usage: radv_pipelines.py MILLRACE COMPILE_PIPELINES LAYER_FOLDER EMULATION_FOLDER SOURCE [PROGRAM ARGUMENT...]
       without PROGRAM it prints the tables of docs/performance.md, and device_functions/figures.txt
"""

import os
import pathlib
import re
import statistics
import sys
import tempfile

import device_functions
from radv import SKIPPED, Pipelines, radv

MILLRACE, COMPILE, LAYERS, EMULATION = map(os.path.abspath, sys.argv[1:5])
SOURCE = pathlib.Path(sys.argv[5]).resolve()
PROGRAM = [*map(os.path.abspath, sys.argv[6:7]), *sys.argv[7:]]
COLUMNS = ["median of VGPRs", "most VGPRs", "median of LDS bytes", "most LDS bytes", "median of waves", "fewest waves"]
MORE_IS_WORSE = 4  # of the columns


def figures(pipelines):
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
    told = device_functions.cells(device_functions.known()[family])
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
    offline = Pipelines(driver, COMPILE, LAYERS, EMULATION)
    with tempfile.TemporaryDirectory() as temporary:
        examples, builds, program = (pathlib.Path(temporary, name) for name in ("examples", "builds", "program"))
        offline.record_examples(MILLRACE, SOURCE, examples)
        device_functions.record(offline, MILLRACE, builds)
        if PROGRAM:
            offline.record(program, PROGRAM)
        rows, functions = [], []
        for family, generation in driver.gpus.items():
            pipelines = compile_examples(offline, family, examples)
            if pipelines is None:
                print("no RADV")
                return SKIPPED
            measured = device_functions.measure(offline, family, builds)
            if not PROGRAM:
                rows.append((f"{family} ({generation})", figures(pipelines) + device_functions.cells(measured)))
                functions += device_functions.lines(family, measured)
                continue
            device_functions.check(family, measured)
            check_documents(family, figures(pipelines))
            of_program = offline.compile_for(family, program)
            spills = offline.check_spills_to_memory(family, program, of_program)
            print(f"{family}: {len(pipelines)} pipelines of examples, {len(measured)} of the device functions, "
                  f"{len(of_program)} of {pathlib.Path(PROGRAM[0]).name}, of which {len(spills)} keep scalar registers in "
                  f"vector registers: {spills}", flush=True)
        print_rows(rows, functions)
    return 0


if __name__ == "__main__":
    sys.exit(main())

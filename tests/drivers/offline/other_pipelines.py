#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other drivers of Mesa make of our pipelines without a GPU (offline.py, docs/drivers.md): those of the device functions
and kernels, with --all those of the examples too, and those of another program. All compile for each GPU, with --few for
two. What spills registers is printed. Where a GPU is in figures.txt, its device functions and kernels are not worse by more
than a tenth.

Usage: other_pipelines.py DRIVER STUB BUILD SOURCE [--few | --all] [PROGRAM ARGUMENT...]
       DRIVER is intel, nvk or turnip. STUB is libintel_noop_drm_shim.so, libnouveau_noop_drm_shim.so, or for turnip a folder
       with Debian's packages for AArch64, and compile_pipelines.
       Without an option and PROGRAM it prints the lines of figures.txt too.
"""

import os
import pathlib
import sys
import tempfile

import device_functions
import figures
import kernels
from offline import SKIPPED, Pipelines, intel, nvk, turnip

DRIVERS = {"intel": intel, "nvk": nvk, "turnip": turnip}
DRIVER, STUB = sys.argv[1], os.path.abspath(sys.argv[2])
BUILD, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[3:5])
OPTIONS = [word for word in sys.argv[5:6] if word in ("--few", "--all")]
ALL, SMALL = OPTIONS == ["--all"], OPTIONS == ["--few"]
REST = sys.argv[5 + len(OPTIONS):]
PROGRAM = [*map(os.path.abspath, REST[:1]), *REST[1:]]
PRINTS = not OPTIONS and not PROGRAM
QUICK = {"nvk": ("gp104", "tu104")}


def record(offline, folder):
    """The device functions, the kernels, and what else was asked for: folders with a folder for each run."""
    builds, around = folder / "builds", folder / "kernels"
    device_functions.record(offline, builds)
    kernels.record(offline, around)
    others = []
    if ALL:
        others = [folder / "examples", folder / "programs"]
        offline.record_examples(SOURCE, others[0])
        offline.record_programs(others[1])
    if PROGRAM:
        others.append(folder / "others")
        others[-1].mkdir()
        offline.record(others[-1] / pathlib.Path(PROGRAM[0]).name, PROGRAM)
    return builds, around, others


def compare(offline, gpu, builds, around):
    """Returns what it says of them."""
    if not offline.driver.statistics:
        return ""
    measured = device_functions.measure(offline, gpu, builds) | kernels.measure(offline, gpu, around)
    if gpu in figures.known():
        figures.check(offline.driver.statistics, gpu, measured)
    if PRINTS:
        print("\n".join(figures.lines(gpu, measured)))
    return f"{len(measured)} kinds of device functions and kernels; "


def compile_all(offline, gpu, folders):
    """Returns what it says of all that is there."""
    count, spills = 0, {}
    for run in [run for folder in folders for run in sorted(folder.iterdir())]:
        shaders = offline.compile_for(gpu, run)
        assert shaders is not None, f"{gpu}: no device"
        count += len(shaders)
        spills |= {f"{run.name}/{shader}": spilled for shader, spilled in offline.spills(shaders).items()}
    assert count, f"{gpu}: nothing was compiled"
    return f"{count} shaders; {len(spills)} use memory for registers or arrays: {spills}"


def main():
    driver = DRIVERS[DRIVER](STUB)
    if not driver.manifests:
        print(f"no {DRIVER}")
        return SKIPPED
    offline = Pipelines(driver, BUILD, f"{STUB}/compile_pipelines" if DRIVER == "turnip" else None)
    with tempfile.TemporaryDirectory() as temporary:
        builds, around, others = record(offline, pathlib.Path(temporary))
        for gpu in QUICK.get(DRIVER, driver.gpus) if SMALL else driver.gpus:
            told = compare(offline, gpu, builds, around)
            if others or not told:
                told += compile_all(offline, gpu, [builds, around, *others])
            print(f"{gpu} ({driver.gpus[gpu][0]}) compiles {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Intel's driver of Mesa makes of our pipelines without a GPU (docs/drivers.md): those of the examples, of the device
functions and of another program, for each generation. All compile. What spills registers is printed.

Usage: intel_pipelines.py STUB MILLRACE COMPILE_PIPELINES LAYER_FOLDER EMULATION_FOLDER SOURCE [PROGRAM ARGUMENT...]
       STUB is libintel_noop_drm_shim.so
"""

import os
import pathlib
import sys
import tempfile

import device_functions
from radv import Pipelines, intel

STUB, MILLRACE, COMPILE, LAYERS, EMULATION = map(os.path.abspath, sys.argv[1:6])
SOURCE = pathlib.Path(sys.argv[6]).resolve()
PROGRAM = [*map(os.path.abspath, sys.argv[7:8]), *sys.argv[8:]]


def main():
    driver = intel(STUB)
    assert driver.manifests, "Intel's driver is not installed"
    offline = Pipelines(driver, COMPILE, LAYERS, EMULATION)
    with tempfile.TemporaryDirectory() as temporary:
        examples, builds, program = (pathlib.Path(temporary, name) for name in ("examples", "builds", "program"))
        offline.record_examples(MILLRACE, SOURCE, examples)
        device_functions.record(offline, MILLRACE, builds)
        if PROGRAM:
            offline.record(program, PROGRAM)
        for gpu, generation in driver.gpus.items():
            count, spills = 0, {}
            for folder in [*sorted(examples.iterdir()), *sorted(builds.iterdir()), *([program] if PROGRAM else [])]:
                pipelines = offline.compile_for(gpu, folder)
                assert pipelines is not None, f"{gpu}: no device"
                count += len(pipelines)
                spills |= {f"{folder.name}/{pipeline}": spilled for pipeline, spilled in offline.spills(pipelines).items()}
            assert count, f"{gpu}: nothing was compiled"
            print(f"{gpu} ({generation}): {count} pipelines compile; {len(spills)} spill registers: {spills}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

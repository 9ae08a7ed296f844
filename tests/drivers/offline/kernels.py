# SPDX-License-Identifier: Apache-2.0
"""Registers, local memory and waves of the kernels around generated commands and mesh shaders, and of what becomes of mesh
shaders that do next to nothing (tests/mesh/shaders/cells.mesh). figures.txt has what they were."""

import figures

GROUPS = ("commands", "mesh_kernels")  # of src/shaders
NOT_MADE = {"mesh_nothing"}  # it stands for shader objects that never run, and is no pipeline
STAGES = {"32": "compute", "1": "vertex", "16": "fragment"}
# Tests that need all kernels, and no seed.
TESTS = {"mesh": ("mesh/test_mesh_shaders", "By/MeshDraws.*/Layer*"),
         "commands": ("commands/test_generated_commands",
                      "CheckedPlaces.IndexOfAnEmptyOne_ToldWithItsTime:TracedDispatches.IndicesThatMeanNothing_LeftOut")}


def record(offline, folder):
    folder.mkdir()
    for name, (program, tests) in TESTS.items():
        offline.record(folder / name, [offline.build / "tests" / program, f"--gtest_filter={tests}"])
    codes = kernel_codes(offline.build)
    for path in (folder / "commands").glob("*.pipeline"):  # with nodes and shaders of the tests
        if not path.with_suffix(".32.spv").exists() or path.with_suffix(".32.spv").read_bytes() not in codes:
            path.unlink()


def kernel_codes(build):
    """{code: "group | kernel"}, as they are where there are 64-bit integers."""
    paths = [path for group in GROUPS for path in (build / "src/shaders" / group).glob("*.spv") if path.stem not in NOT_MADE]
    return {path.read_bytes(): f"kernels | {path.stem}" for path in paths}


def measure(offline, gpu, folder):
    """{"group | name": figures}, the worst where there are several. No shader spills registers."""
    codes, found = kernel_codes(offline.build), {}
    for name in TESTS:
        shaders = offline.compile_for(gpu, folder / name)
        offline.check_spills(gpu, folder / name, shaders)
        for shader, values in shaders.items():
            kernel = codes.get((folder / name / f"{shader}.spv").read_bytes())
            figures.add(offline.driver.statistics, found, kernel or f"mesh draws | {STAGES[shader.split('.')[1]]}", values)
    missing = set(codes.values()) - found.keys()
    assert codes and not missing, f"no test makes {sorted(missing)}"
    return found

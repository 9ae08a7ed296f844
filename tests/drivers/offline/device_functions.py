# SPDX-License-Identifier: Apache-2.0
"""Registers, local memory and waves of the device functions: of nodes that do next to nothing (device_functions/graph.json),
in each build and of each kind. figures.txt has what they were; docs/performance.md has the worst of each build."""

import pathlib

import figures

FOLDER = pathlib.Path(__file__).resolve().parent / "device_functions"
# By a function that no other build has. The first that is there decides.
BUILDS = {"leaf, fed": "mr_find_info", "leaf": "mr_locate_by_number", "reserves": "mr_keep_reservation",
          "fits": "mr_next", "around": ""}
# By the payloads that a node's code knows.
KINDS = {"sender": ("OfStatic", "OfPacked"), "static": ("OfStatic",), "dynamic": ("OfDynamic",),
         "coalescing": ("OfCoalescing",), "packed": ("OfPacked",), "last": ("OfLeaf",), "no": ()}
RUNS = [("graph.json", "indirect", "min"), ("graph.json", "indirect", "max"), ("leaf.json", "host", "min"),
        ("leaf.json", "indirect", "min")]


def record(offline, folder):
    folder.mkdir()
    for number, (graph, form, scratch) in enumerate(RUNS):
        # No more than it needs, whatever there is time for.
        offline.run_graph(folder / str(number), FOLDER / graph, "--scratch", scratch, "--form", form,
                          VK_MILLRACE_EMULATION_FUSION="off", VK_MILLRACE_EMULATION_DISABLE="ahead")


def name_of(path):
    code = path.read_bytes()
    build = next(build for build, function in BUILDS.items() if function.encode() in code)
    kind = next(kind for kind, names in KINDS.items() if all(name.encode() in code for name in names))
    return f"{build} | {kind}"


def measure(offline, gpu, folder):
    """{"build | kind": figures}, the worst where there are several."""
    found = {}
    for run in sorted(folder.iterdir()):
        shaders = offline.compile_for(gpu, run)
        offline.check_spills(gpu, run, shaders)
        for shader, values in shaders.items():
            figures.add(offline.driver.statistics, found, name_of(run / f"{shader}.spv"), values)
    return found


def cells(found):
    """Of docs/performance.md: for each build the most VGPRs, the most LDS and the fewest waves."""
    out = []
    for build in BUILDS:
        rows = [row for name, row in found.items() if name.startswith(build + " | ")]
        assert rows, f"no pipeline has the build '{build}'"
        out.append(f"{max(row[0] for row in rows)}, {max(row[2] for row in rows)}, {min(row[3] for row in rows)}")
    return out

# SPDX-License-Identifier: Apache-2.0
"""Registers, local memory and waves of the device functions: of nodes that do next to nothing (device_functions/graph.json),
in each build and of each kind. device_functions/figures.txt has what they were; docs/performance.md has the worst of each
build."""

import pathlib
import re

from radv import BOTH_LAYERS

FOLDER = pathlib.Path(__file__).resolve().parent / "device_functions"
# By a function that no other build has. The first that is there decides.
BUILDS = {"leaf, fed": "mr_find_info", "leaf": "mr_locate_by_number", "reserves": "mr_keep_reservation",
          "fits": "mr_next", "around": ""}
# By the payloads that a node's code knows.
KINDS = {"sender": ("OfStatic", "OfPacked"), "static": ("OfStatic",), "dynamic": ("OfDynamic",),
         "coalescing": ("OfCoalescing",), "packed": ("OfPacked",), "last": ("OfLeaf",), "no": ()}
STATISTICS = {"VGPRs": max, "SGPRs": max, "LDS size": max, "Subgroups per SIMD": min}
RUNS = [("graph.json", "indirect", "min"), ("graph.json", "indirect", "max"), ("leaf.json", "host", "min"),
        ("leaf.json", "indirect", "min")]


def record(offline, millrace, folder):
    folder.mkdir()
    for number, (graph, form, scratch) in enumerate(RUNS):
        offline.record(folder / str(number), [millrace, "run", str(FOLDER / graph), "--scratch", scratch, "--form", form],
                       VK_INSTANCE_LAYERS=BOTH_LAYERS, VK_MILLRACE_EMULATION_FUSION="off",
                       VK_MILLRACE_EMULATION_DISABLE="ahead")  # no more than it needs, whatever there is time for


def name_of(path):
    code = path.read_bytes()
    build = next(build for build, function in BUILDS.items() if function.encode() in code)
    kind = next(kind for kind, names in KINDS.items() if all(name.encode() in code for name in names))
    return f"{build} | {kind}"


def measure(offline, family, folder):
    """{"build | kind": [VGPRs, SGPRs, LDS, waves]}, the worst where there are several."""
    found = {}
    for run in sorted(folder.iterdir()):
        pipelines = offline.compile_for(family, run)
        if pipelines is None:
            return None
        offline.check_spills(family, run, pipelines)
        for number, values in pipelines.items():
            own = [values[statistic] for statistic in STATISTICS]
            name = name_of(run / f"{number}.spv")
            worst = found.setdefault(name, own)
            found[name] = [choose(pair) for choose, pair in zip(STATISTICS.values(), zip(worst, own))]
    return found


def known():
    """{family: {"build | kind": figures}} of figures.txt."""
    out = {}
    for family, name, figures in re.findall(r"^(\w+) \| (.+ \| \w+) \| ([\d ]+)$", (FOLDER / "figures.txt").read_text(),
                                            re.MULTILINE):
        out.setdefault(family, {})[name] = [int(figure) for figure in figures.split()]
    return out


def lines(family, found):
    return [f"{family} | {name} | {' '.join(map(str, figures))}" for name, figures in sorted(found.items())]


def cells(found):
    """Of docs/performance.md: for each build the most VGPRs, the most LDS and the fewest waves."""
    out = []
    for build in BUILDS:
        rows = [figures for name, figures in found.items() if name.startswith(build + " | ")]
        assert rows, f"no pipeline has the build '{build}'"
        out.append(f"{max(row[0] for row in rows)}, {max(row[2] for row in rows)}, {min(row[3] for row in rows)}")
    return out


def check(family, found):
    """What is worse by more than a tenth has to be looked at, and what is better by as much has to be written down."""
    before = known()[family]
    assert found.keys() == before.keys(), (family, sorted(found.keys() ^ before.keys()))
    for name, figures in found.items():
        for statistic, value, old in zip(STATISTICS, figures, before[name]):
            assert abs(value - old) <= old * 0.1, (
                f"{family}, {name}: {statistic} {value}, device_functions/figures.txt has {old}; "
                "radv_pipelines.py without a program prints new figures")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The work graph libraries that vkd3d-proton's tests have give the results that those tests expect.

Usage: vkd3d_workgraphs.py MILLRACE [VKD3D_GIT_DIRECTORY]

The folder may be given as MILLRACE_VKD3D in the environment instead; without it nothing is tested, and the exit status
is 77. The libraries are read from there, never copied here; what is dispatched and what is expected is written here
anew, after the tests' own tables. Root UAVs are addresses in the push constants, as there. D3D12's inputs are

  CPU input          vkCmdDispatchGraphAMDX with one node
  several CPU inputs the same with several
  GPU input          vkCmdDispatchGraphIndirectAMDX
  several GPU inputs vkCmdDispatchGraphIndirectCountAMDX
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import check_vkd3d

SKIPPED = 77
CPU, GPU, SEVERAL_GPU = "host", "indirect", "indirect-count"
WORDS = 1024


class Case:
    """A library, what is dispatched, and the contents of its buffers afterwards."""

    def __init__(self, library, name, dispatches, expected, options=None, buffers=None):
        self.library, self.name, self.dispatches, self.expected = library, name, dispatches, expected
        self.options, self.buffers = options, buffers


def dispatch(node, payloads=None, form=CPU, inputs=1, count=None):
    launch = {"node": node}
    if payloads is not None:
        launch["payloads"] = payloads
    if count is not None:
        launch["count"] = count
    return {"launches": [launch] * inputs, "form": form}


def words(values):
    out = [0] * WORDS
    for index, value in values.items():
        out[index] = value
    return out


def grid_sum(records, threads):
    """Each thread of each record's grid adds the record's value at x + 10 y + 100 z."""
    out = {}
    for grid, value in records:
        for z in range(grid[2] * threads[2]):
            for y in range(grid[1] * threads[1]):
                for x in range(grid[0] * threads[0]):
                    at = x + 10 * y + 100 * z
                    out[at] = out.get(at, 0) + value
    return words(out)


def basic_cases():
    def case(name, records, dispatches, form=CPU, inputs=1, count=None):
        times = dispatches * inputs
        ran = records if count is None else [records[i % len(records)] for i in range(count)]
        return Case("basic", name, [dispatch("BroadcastNode", [[r] for r in records], form, inputs, count)] * dispatches,
                    [grid_sum([(r, times) for r in ran], (2, 3, 4))])

    yield case("CPU input, stride 0", [[1, 2, 2]], 3, count=2)
    yield case("CPU input, stride 16", [[1, 2, 2], [2, 1, 1]], 3)
    yield case("CPU input without records", [[1, 2, 2]], 1, count=0)
    yield case("CPU input, empty grids", [[1, 0, 2]], 1, count=10)
    yield case("several CPU inputs", [[1, 2, 2], [2, 1, 1]], 4, inputs=3)
    for form, inputs, title in ((GPU, 1, "GPU input"), (SEVERAL_GPU, 2, "several GPU inputs")):
        yield case(title + ", one record", [[2, 1, 2]], 4, form, inputs)
        yield case(title + " without records", [[2, 1, 2]], 4, form, inputs, count=0)
        yield case(title + ", stride 0", [[2, 1, 2]], 4, form, inputs, count=3)
        yield case(title + ", stride 12", [[2, 1, 2], [2, 2, 2], [2, 2, 1]], 4, form, inputs)


def input_cases():
    threads = (2, 3, 4)
    for form, title in ((CPU, "CPU input"), (GPU, "GPU input")):
        yield Case("broadcast_custom_input", title, [dispatch("BroadcastNode", [[19, 800], [400, 90]], form)],
                   [grid_sum([((3, 3, 2), 19 ^ 800), ((3, 3, 2), 400 ^ 90)], threads)])
        for library in ("broadcast_custom_input_uint2", "broadcast_custom_input_u16_2"):
            yield Case(library, title, [dispatch("BroadcastNode", [[19, [3, 2], 800], [400, [2, 1], 90]], form)],
                       [grid_sum([((3, 2, 1), 19 ^ 800), ((2, 1, 1), 400 ^ 90)], threads)])
        yield Case("broadcast_custom_input_uint", title,
                   [dispatch("BroadcastNode", [[19, 3, 800], [400, 2, 90]], form)],
                   [grid_sum([((3, 1, 1), 19 ^ 800), ((2, 1, 1), 400 ^ 90)], threads)])
        records = [[(i ^ 7) * 3, i ^ 0xabcd] for i in range(256)]
        yield Case("thread_custom_input", title, [dispatch("ThreadNode", records, form)], [words(dict(records))])
        records = [[100, 50], [150, 40], [200, 79], [300, 40], [400, 30], [490, 20], [530, 10], [32, 32]]
        yield Case("coalesce_custom_input", title, [dispatch("CoalesceNode", records, form)],
                   [words({at + t: value for at, value in records for t in range(24)})])


def two_level_cases():
    # Grid, which of the two buffers, size, offset, increment.
    entries = [[2, 0, 1, 1, 1], [2, 1, 1, 3, 2], [3, 0, 3, 5, 3], [1, 1, 3, 4, 4]]
    expected = [[0] * WORDS, [0] * WORDS]
    for grid, buffer, size, offset, increment in entries:
        for at in range(size * grid * 64):
            expected[buffer][offset + at] += increment
    for library in ("two_level_broadcast", "two_level_broadcast_node_array", "two_level_thread",
                    "two_level_thread_node_array"):
        yield Case(library, "four entries", [dispatch("EntryNode", entries)], expected)


def one_entry_cases():
    entry = [dispatch("EntryNode", count=1)]
    yield Case("two_level_empty_node", "counts", entry,
               [words(dict(enumerate([5, 5, 4, 6, 4, 6, 3, 2, 3, 2, 9, 7, 9, 7])))])
    yield Case("basic_recursion", "levels", entry,
               [words(dict(enumerate([0, 7, 13, 17, 25, 34, 46, 59, 71, 76, 68, 47, 23, 7, 1])))])
    yield Case("cross_group_sharing", "the last group's sums", entry,
               [words({i: (512 * 64 + 9, 256 * 64 + 11)[i // 64] for i in range(128)})])
    yield Case("shared_inputs", "both nodes' sums", entry,
               [words({i: (512 * 9, 256 * 9)[i // 64] for i in range(128)})])
    # A record for each node: the address of a buffer and two constants, whose order differs.
    local = {"name": "local", "set": 2, "binding": 3, "data": [[{"address": "uav0"}, 30, 20, {"address": "uav0"}, 40, 50]]}
    yield Case("local_root_signature", "both nodes' sums", entry, [words({30: 20 * 30, 50: 40 * 60})],
               options={"bindings": {"local": {"set": 2, "binding": 3}}}, buffers=[local])


def graph_of(case, file):
    """The test's root signature: two UAVs by address."""
    options = {"rootSignature": {"parameters": [{"class": "u", "register": 0}, {"class": "u", "register": 1}]}}
    options.update(case.options or {})
    outputs = [{"name": f"uav{i}", "set": 3, "binding": i, "size": WORDS * 4, "print": True}
               for i in range(len(case.expected))]
    addresses = [{"address": f"uav{min(i, len(outputs) - 1)}"} for i in range(2)]
    return {"nodes": [{"file": str(file), "dxil": options}], "buffers": outputs + (case.buffers or []),
            "push_constants": addresses, "dispatches": case.dispatches}


def run(tool, case, file, folder):
    """What is wrong, or nothing."""
    graph = folder / "graph.json"
    description = graph_of(case, file)
    if case.library == "local_root_signature":
        del description["push_constants"]  # no node of it sees a global argument
    graph.write_text(json.dumps(description))
    result = subprocess.run([tool, "run", graph, "--json"], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        return result.stderr.strip() or result.stdout
    results = json.loads(result.stdout)["results"]
    for i, wanted in enumerate(case.expected):
        got = results[f"uav{i}"]["words"]
        wrong = [at for at in range(WORDS) if got[at] != wanted[at]]
        if wrong:
            return f"uav{i}[{wrong[0]}] is {got[wrong[0]]} instead of {wanted[wrong[0]]}, {len(wrong)} are wrong"
    return None


def main():
    tool = sys.argv[1]
    corpus = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("MILLRACE_VKD3D")
    if not corpus:
        print("SKIPPED: no vkd3d-proton. Set MILLRACE_VKD3D to the git directory of a clone.")
        return SKIPPED
    cases = [*basic_cases(), *input_cases(), *two_level_cases(), *one_entry_cases()]
    libraries = {}
    for path, _, content in check_vkd3d.programs(corpus, "tests/shaders/workgraph"):
        libraries[pathlib.Path(path).stem] = content
    missing = {case.library for case in cases} ^ set(libraries)
    if missing:
        print(f"not both here and there: {sorted(missing)}")
        return 1
    right, failed = 0, set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in cases:
            file = folder / (case.library + ".dxil")
            file.write_bytes(libraries[case.library])
            wrong = run(tool, case, file, folder)
            right += not wrong
            if wrong:
                failed.add(case.library)
                print(f"{case.library}, {case.name}: {wrong}")
    print(f"work graph libraries with the results that are expected: {len(libraries) - len(failed)} of "
          f"{len(libraries)}; {right} of {len(cases)} dispatches")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

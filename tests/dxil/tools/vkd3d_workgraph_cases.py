# SPDX-License-Identifier: Apache-2.0
"""What is dispatched to the work graphs of vkd3d-proton's tests, and what must come out: written anew, after the tests'
own tables. D3D12's inputs are

  CPU input          vkCmdDispatchGraphAMDX with one node
  several CPU inputs the same with several
  GPU input          vkCmdDispatchGraphIndirectAMDX
  several GPU inputs vkCmdDispatchGraphIndirectCountAMDX
"""
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


def all_cases():
    return [*basic_cases(), *input_cases(), *two_level_cases(), *one_entry_cases()]


def times(values, factor):
    return [value * factor & 0xffffffff for value in values]


def shapes(count):
    """The same libraries with many inputs, to measure: a title, and a case with `count` records or entries."""
    yield "broadcast, 1 level (grid 3x3x2 of 2x3x4 threads)", Case(
        "broadcast_custom_input", "", [dispatch("BroadcastNode", [[19, 800]], count=count)],
        [times(grid_sum([((3, 3, 2), 19 ^ 800)], (2, 3, 4)), count)])
    yield "thread launch, 1 level", Case(
        "thread_custom_input", "", [dispatch("ThreadNode", [[i, i + 1] for i in range(256)], count=count)],
        [words({i: (i + 1) * (count // 256 + (i < count % 256)) for i in range(256)})])
    yield "coalescing, 1 level", Case(
        "coalesce_custom_input", "", [dispatch("CoalesceNode", [[32 * i, i + 1] for i in range(8)], count=count)],
        [words({32 * i + t: (i + 1) * (count // 8 + (i < count % 8)) for i in range(8) for t in range(24)})])
    for library, title in (("two_level_thread", "two levels, thread, 64 children each"),
                           ("two_level_broadcast", "two levels, broadcast, 8 children")):
        yield title, Case(library, "", [dispatch("EntryNode", [[1, 0, 1, 1, 1]], count=count)],
                          [words({1 + i: count for i in range(64)}), [0] * WORDS])
    for library, title in (("two_level_empty_node", "two levels, 15 nodes, 72 empty records"),
                           ("basic_recursion", "recursion, 8 levels, 254 records each"),
                           ("cross_group_sharing", "cross-group sharing, 768 groups each")):
        once = next(case for case in one_entry_cases() if case.library == library)
        yield title, Case(library, "", [dispatch("EntryNode", count=count)], [times(once.expected[0], count)])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Root signatures, overrides and libraries that are put together: `millrace run` gives what is computed here.

Usage: dxil_graphs.py MILLRACE GRAPHS EXAMPLES
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema

LENGTH = 32
DOCS = pathlib.Path(__file__).parents[3] / "docs"
GRAPH_SCHEMA = jsonschema.Draft202012Validator(json.loads((DOCS / "run.schema.json").read_text()))
OPTIONS_SCHEMA = jsonschema.Draft202012Validator(json.loads((DOCS / "dxil-options.schema.json").read_text()))


def run(tool, folder, graph):
    GRAPH_SCHEMA.validate(graph)
    for node in graph["nodes"]:
        OPTIONS_SCHEMA.validate(node.get("dxil", {}))
    file = folder / "graph.json"
    file.write_text(json.dumps(graph))
    return subprocess.run([tool, "run", file, "--json"], capture_output=True, text=True, timeout=3600, check=False)


def buffer(name, binding, size=LENGTH, **more):
    return {"name": name, "set": 0, "binding": binding, "size": 4 * size, "print": True, **more}


def results(tool, folder, graph, what):
    result = run(tool, folder, graph)
    if result.returncode != 0:
        sys.exit(f"{what}: {result.stderr or result.stdout}")
    return {name: next(iter(value.values())) if isinstance(value, dict) else value
            for name, value in json.loads(result.stdout)["results"].items()}


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got} instead of {wanted}")
    print(f"{what}: {got}")


def filled(values):
    out = [0] * LENGTH
    for index, value in values.items():
        out[index] = value
    return out


def collection(tool, graphs, folder):
    """`start` of one library and the leaves of another, as they are and with everything overridden."""
    def graph(options, payloads):
        return {"nodes": [{"file": str(graphs / "start.dxil"),
                           "dxil": {"libraries": [str(graphs / "leaves.dxil")], **options}}],
                "buffers": [buffer("words", 0), buffer("places", 0, set=6, size=8, data=[[3, 1, 4, 10, 5, 100, 6, 1000]])],
                "dispatches": [{"node": "start", "payloads": payloads}]}

    # Records that D3D12 would not look at either: the grid is fixed.
    plain = graph({"nodes": [{"entry": "tap", "sharesInputOf": {"name": "start"}}]}, [[[9, 9, 9], 7]])
    check("two libraries", results(tool, folder, plain, "two libraries")["words"],
          filled({0: 4 * 7 + 6, 1: 2 * 7, 3: 6}))

    members = [{"entry": "member", "name": "box", "index": 4 + i, "localTableIndex": 3 - i} for i in (0, 1, 3)]
    changed = graph({
        "exports": [{"name": "begin", "of": "start"}],
        "nodes": [
            {"entry": "begin", "name": "start", "grid": [4, 1, 1], "outputs": [
                {"output": 0, "name": "page", "index": 2},
                {"output": 1, "name": "box", "index": 4, "arraySize": 4, "sparse": True, "maxRecords": 8}]},
            {"entry": "leaf", "name": "page", "index": 2},
            {"entry": "tap", "name": "listener", "grid": [3, 1, 1], "sharesInputOf": {"name": "start"}},
            *members]}, [[[1, 1, 1], 7], [[0, 0, 0], 8]])
    # Each of two records: four groups of four threads; group g sends to box 4 + g, where group 2 finds no node.
    sums = {g: 2 * sum(100 * g + t for t in range(4)) for g in range(4)}
    check("everything overridden", results(tool, folder, changed, "overrides")["words"], filled({
        0: 4 * (4 * (7 + 8) + 2 * 6), 1: 3 * (7 + 8), 6: 1000 * sums[0], 5: 100 * sums[1], 3: sums[3]}))

    listed = graph({"onlyListed": True, "nodes": [
        {"entry": "start", "maxGrid": [2, 1, 1], "outputs": [{"output": 1, "sharesBudgetWith": 0, "sparse": True},
                                                            {"output": 0, "maxRecords": 8}]},
        {"entry": "leaf"}]}, [[[2, 1, 1], 7], [[1, 1, 1], 8]])
    del listed["buffers"][1]
    check("grid from the record", results(tool, folder, listed, "only listed nodes")["words"],
          filled({0: 2 * (4 * 7 + 6) + 4 * 8 + 6}))


def functions(tool, graphs, folder):
    """A function that one library calls and another defines, with resources of its own."""
    graph = {"nodes": [{"file": str(graphs / "caller.dxil"), "dxil": {"libraries": [str(graphs / "helper.dxil")]}}],
             "buffers": [buffer("words", 0), buffer("calls", 1), buffer("factors", 1000, data=[[5, 6, 7, 0, 9]])],
             "dispatches": [{"node": "call", "payloads": [[2], [9], [0]]}]}
    got = results(tool, folder, graph, "functions")
    check("functions of another library", (got["words"][0], got["calls"][0]), (3 * (5 + 6) + 3 * (5 + 6 + 7), 3))


def local_root(tool, graphs, folder):
    """Records of three nodes in one table, and root arguments from the push constants."""
    def graph(options, local):
        return {"nodes": [{"file": str(graphs / "local_root.dxil"), "dxil": {"onlyListed": True, "nodes": [
                    {"entry": "start"}, {"entry": "first"}, {"entry": "second"}], **options}}],
                "push_constants": [5, 0, {"address": "sums"}],
                "buffers": [buffer("sums", 0, set=1), buffer("own", 1, set=1),
                            buffer("given", 2, set=1, data={"words": [0, 0, 40]}),
                            buffer("four", 3, set=1, data={"words": [1, 2, 300, 4]}), local],
                "dispatches": [{"node": "start", "count": 2}]}

    # `second` says that it is 0, so `first` is 1: a constant, and an address behind it from a multiple of 8.
    record = [{"address": "given"}, 2, 6, 7, 0, {"address": "four"}]
    local = buffer("local", 0, set=6, size=16, data=[[*record, 11, 0, {"address": "own"}]])
    got = results(tool, folder, graph({}, local), "local root signatures")
    check("local root signatures", (got["own"], got["sums"]),
          (filled({0: 2 * 3 * 11 * 5}), filled({0: 2 * 3 * 11, 1: 2 * 2 * (40 + 6 + 300), 2: 2 * 2 * 7})))

    # Elsewhere, with gaps, and one register somewhere else altogether.
    local = buffer("local", 5, set=2, size=32, data=[[0] * 8 + [*record, 12, 0, {"address": "own"}]])
    moved = graph({"bindings": {"local": {"set": 2, "binding": 5, "stride": 32},
                                "registers": [{"class": "u", "register": 0, "space": 0, "set": 1, "binding": 0}]},
                   "nodes": [{"entry": "start"}, {"entry": "first", "localTableIndex": 2},
                             {"entry": "second", "localTableIndex": 1}]}, local)
    got = results(tool, folder, moved, "bindings that are given")
    check("bindings that are given", (got["own"][0], got["sums"][0]), (2 * 3 * 12 * 5, 2 * 3 * 12))


def reflection(tool, graphs):
    listed = json.loads(subprocess.run([tool, "dxil", graphs / "local_root.dxil", "--json"], capture_output=True,
                                       check=True).stdout)
    entries = {entry["function"]: entry for entry in listed["entryPoints"]}
    third = entries["third"]["localRoot"]
    places = {r["name"]: (r.get("localTableOffset"), r.get("descriptor")) for r in third["resources"]}
    check("tables", places, {"picture": (0, 7), "listed": (0, 3)})
    check("record", [entries[name]["localRoot"]["bytes"] for name in ("first", "second", "third")], [16, 32, 8])
    check("indices", [entries[name]["localRoot"]["index"] for name in ("first", "second", "third")], [1, 0, 2])
    text = subprocess.run([tool, "dxil", graphs / "local_root.dxil", "--entry", "third", "--asm"], capture_output=True,
                          text=True, check=True).stdout
    check("heap and static sampler", [f"DescriptorSet {s}" in text for s in (4, 6, 7)], [True, True, True])


def wave_sizes(tool, graphs, folder):
    """A node gets the waves that it asks for, or a reason."""
    def graph(entry):
        return {"nodes": [{"file": str(graphs / "wave_sizes.dxil"), "entry": entry}], "buffers": [buffer("words", 0)],
                "dispatches": [{"node": entry}]}

    wants = {f"lanes{size}": range(size, size + 1) for size in (4, 8, 16, 32, 64, 128)}
    outcomes = {}
    for entry, sizes in {**wants, "any": range(4, 129), "some": range(4, 129)}.items():
        result = run(tool, folder, graph(entry))
        if result.returncode == 0:
            outcomes[entry] = json.loads(result.stdout)["results"]["words"]["member0"][0]
            if outcomes[entry] not in sizes:
                sys.exit(f"{entry}: {outcomes[entry]} lanes")
        else:
            outcomes[entry] = re.search(r"it wants waves of .* lanes, the device has \d+(?: to \d+)?", result.stdout +
                                        result.stderr).group()
    print(outcomes)
    reasons = [reason for reason in outcomes.values() if isinstance(reason, str)]
    # Every device has some size, and none has all.
    if isinstance(outcomes["any"], str) or len(reasons) in (0, len(wants)):
        sys.exit("sizes of waves are ignored")


def overridden(tool, graphs, folder):
    """Every override of a node is in what --json says of it."""
    change = {"entry": "start", "name": "other", "index": 3, "programEntry": True, "localTableIndex": 4,
              "maxGrid": [7, 2, 1], "sharesInputOf": {"name": "leaf", "index": 1},
              "outputs": [{"output": 0, "name": "page", "index": 5, "maxRecords": 9},
                          {"output": 1, "arraySize": 6, "sparse": True, "sharesBudgetWith": 0}]}
    file = folder / "options.json"
    file.write_text(json.dumps({"nodes": [change]}))
    OPTIONS_SCHEMA.validate({"nodes": [change]})
    listed = json.loads(subprocess.run([tool, "dxil", graphs / "start.dxil", "--options", file, "--json"],
                                       capture_output=True, check=True).stdout)
    node = listed["entryPoints"][0]["node"]
    kept = {"flags", "recordBytes"}
    node["outputs"] = [{key: value for key, value in output.items() if key not in kept} for output in node["outputs"]]
    check("every override", node, {
        "name": "other", "index": 3, "launch": "broadcasting", "programEntry": True, "maxGrid": [7, 2, 1],
        "sharesInputOf": {"name": "leaf", "index": 1},
        "inputs": [{"flags": 97, "recordBytes": 16, "gridOffsetBytes": 0, "gridComponents": 3, "gridComponentBytes": 4}],
        "outputs": [
            {"node": "page", "index": 5, "maxRecords": 9, "sparse": False},
            {"node": "list", "index": 0, "maxRecords": 4, "arraySize": 6, "sparse": True, "sharesBudgetWith": 0}]})


def mixed_grids(tool, graphs, folder):
    graph = {"nodes": [{"file": str(graphs / "mixed_grids.dxil")}], "buffers": [buffer("words", 0)],
             "dispatches": [{"node": "start", "count": 2}]}
    wanted = filled({0: 2 * 6, 1: 2 * 3 * (100 + 10000), 2: 2 * 2 * 1000})
    check("grids of both kinds", results(tool, folder, graph, "mixed grids")["words"], wanted)

    # The same with a root signature that is given: the buffer by address, behind constants; and in a table's second range.
    graph["nodes"][0]["dxil"] = {"rootSignature": {"parameters": [
        {"class": "u", "register": 0}, {"class": "b", "register": 5, "constants": 3}]}}
    graph["push_constants"] = [1, 2, 3, 0, {"address": "words"}]
    check("a given root signature", results(tool, folder, graph, "address")["words"], wanted)
    graph["nodes"][0]["dxil"] = {"rootSignature": {"parameters": [
        {"table": [{"class": "s", "register": 0}]},
        {"table": [{"class": "t", "register": 0, "count": 3}, {"class": "u", "register": 0}]}]}}
    del graph["push_constants"]
    graph["buffers"] = [buffer("words", 1, set=1)]
    check("a given table", results(tool, folder, graph, "table")["words"], wanted)


def unread_grids(tool, graphs, folder):
    """A node reads nothing of its record but the grid, and another runs inside it; grids at several places."""
    for name, wanted in {"unread_grid": [1332, 24], "unread_grid_behind": [1332, 24], "unread_grid_16": [66, 12],
                         "unread_grid_odd": [66, 12]}.items():
        graph = {"nodes": [{"file": str(graphs / f"{name}.dxil")}], "buffers": [buffer("words", 0, size=2)],
                 "dispatches": [{"node": "top"}]}
        check(name, results(tool, folder, graph, name)["words"], wanted)
    from_host = {"nodes": [{"file": str(graphs / "unread_grid_behind.dxil")}], "buffers": [buffer("words", 0, size=2)],
                 "dispatches": [{"node": "mid", "payloads": [[[1], [3, 2]]]}]}
    check("from the host", results(tool, folder, from_host, "from the host")["words"], [1332, 24])


def no_registers(tool, graphs, folder):
    """Resources to which the compiler gave no register: each has a place of its own, beside those that have one."""
    # The compiler puts `factor` behind 24 bytes for the two structures.
    buffers = {"words": 0, "right.to": 4, "left.to": 3, "behind": 1, "further": 5, "taken": 2}
    graph = {"nodes": [{"file": str(graphs / "no_registers.dxil"),
                        "dxil": {"libraries": [str(graphs / "no_registers_more.dxil")]}}],
             "buffers": [*(buffer(name, binding, size=2) for name, binding in buffers.items()),
                         buffer("apart", 0, set=1, size=2), buffer("left.from", 1000, size=2, data=[[4, 0]]),
                         buffer("right.from", 1001, size=2, data=[[5, 0]]),
                         buffer("$Globals", 2000, size=8, data={"member0": [[0] * 4, [0, 0, 3, 0]]})],
             "dispatches": [{"node": "top"}, {"node": "more"}]}
    got = results(tool, folder, graph, "no registers")
    check("no registers", {name: got[name] for name in (*buffers, "apart")},
          {"words": [11, 88], "right.to": [15, 0], "left.to": [5, 0], "behind": [44, 66], "further": [0, 77],
           "taken": [33, 0], "apart": [55, 0]})

    def places(name):
        listed = json.loads(subprocess.run([tool, "dxil", graphs / name, "--json"], capture_output=True,
                                           check=True).stdout)["resources"]
        return {r["name"]: (r["class"], r["register"], r["space"]) for r in listed}

    # What DXC gives with -auto-binding-space 0, which finds no room where an array without an end comes first.
    check("arrays without registers", places("no_registers_arrays.dxil"), {
        "words": ("u", 0, 0), "three": ("u", 1, 0), "taken": ("u", 5, 0), "behind": ("u", 4, 0),
        "apart": ("u", 0, 1), "single": ("t", 0, 0), "open": ("t", 1, 0)})


def variables(tool, graphs, folder):
    """Variables that nobody reads, of handles too, and zeros in whole ones."""
    graph = {"nodes": [{"file": str(graphs / "dead_handles.dxil")}],
             "buffers": [buffer("words", 0, size=4), buffer("first", 1000, size=4, data=[[1, 2, 3, 4]]),
                         buffer("second", 1001, size=4, data=[[7, 40, 100, 0]])],
             "dispatches": [{"node": "top"}]}
    check("handles", results(tool, folder, graph, "handles")["words"],
          [100 * (i + 7) + 10 * (i + 40) + i + 100 for i in (1, 2, 3, 4)])
    graph = {"nodes": [{"file": str(graphs / "zero_lifetimes.dxil")}], "buffers": [buffer("words", 0, size=4)],
             "dispatches": [{"node": "top"}]}
    check("zeros", results(tool, folder, graph, "zeros")["words"],
          [sum(((3 * t + k) & 7) * k + i for k in range(3) for t in range(i + 2)) for i in range(4)])


def matrices(tool, graphs, folder):
    """Matrices as arguments and results of functions of another library, and by reference."""
    graph = {"nodes": [{"file": str(graphs / "matrix_caller.dxil"),
                        "dxil": {"libraries": [str(graphs / "matrix_helper.dxil")]}}],
             "buffers": [buffer("words", 0)], "dispatches": []}
    for base, which in ((9, 0), (7, 1)):
        # The record has a float and a word; its members have no names.
        graph["dispatches"] = [{"node": "call", "payloads": [[base, which]]}]
        words = results(tool, folder, graph, "matrices")["words"]
        got = struct.unpack(f"{LENGTH}f", struct.pack(f"{LENGTH}I", *words))
        chosen = [1, 2, 3, 4, 5, 6, 7, base] if which else [11, 21, 31, 41, 51, 61, 71, base + 1]
        check("matrices", list(got[:19]), [3 * base, *range(3, 25, 3), *chosen, 2000 + 100 * base + 43,
                                           -(1 + 30 + 400 + 1000 * which)])


def float_exchange(tool, graphs, folder):
    """Floats of records are exchanged, also by comparison; what the host sends are floats."""
    graph = {"nodes": [{"file": str(graphs / "float_exchange.dxil")}], "buffers": [buffer("words", 0, size=3)],
             "dispatches": [{"node": "top", "payloads": [[1.0, [2.5, -3.0], 0]]}]}
    words = results(tool, folder, graph, "float exchange")["words"]
    check("float exchange", list(struct.unpack("3f", struct.pack("3I", *words))), [6.0, 2.5, 8.0])


def typed_buffers(tool, graphs, folder):
    """Texel buffers of the formats that the description says, for DXIL says none."""
    def texels(name, binding, kind, **more):
        return {"name": name, "binding": binding, "format": kind, **more}

    buffers = [texels("floats", 1000, "rgba32f", data=[[1, 2, 3, 4], [0.5, -1, -1, 8]]),
               texels("longs", 1001, "rg32ui", data=[[1, 2], [0xffffffff, 0]]),
               texels("sums", 0, "rg16f", length=2, print=True),
               texels("doubled", 1, "rg32ui", length=4, print=True),
               texels("most", 2, "r32i", data=[-5], print=True)]
    graph = {"nodes": [{"file": str(graphs / "typed_buffers.dxil")}], "buffers": buffers,
             "dispatches": [{"node": "typed", "count": 1}]}
    check("typed buffers", results(tool, folder, graph, "typed buffers"),
          {"sums": [[4, 6], [-0.5, 7]], "doubled": [[2, 4], [0xfffffffe, 1], [3, 4], [0xffffffff, 1]], "most": [-1]})
    del buffers[2]["format"]
    said = run(tool, folder, graph).stdout
    check("typed buffers without a format", '"format\\" is missing, and the nodes do not say it either' in said, True)


def refused(tool, graphs, examples):
    """What cannot be is named."""
    start, leaves = graphs / "start.dxil", graphs / "leaves.dxil"

    def fails(text, files, options):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(options, file)
            file.flush()
            result = subprocess.run([tool, "dxil", *files, "--options", file.name, "-o", "-"], capture_output=True,
                                    text=True, errors="replace", check=False)
        if result.returncode != 1 or text not in result.stderr:
            sys.exit(f"not refused with \"{text}\": {result.returncode}, {result.stderr}")

    fails("no entry point \"nobody\"", [start], {"nodes": [{"entry": "nobody"}]})
    fails("no entry point \"nobody\"", [start], {"exports": ["nobody"]})
    fails("rename one by an export", [start, start], {})
    fails("has no body", [graphs / "caller.dxil"], {})
    fails("only broadcasting nodes", [leaves], {"nodes": [{"entry": "leaf", "grid": [1, 1, 1]}]})
    fails("no array", [start], {"nodes": [{"entry": "start", "outputs": [{"output": 0, "arraySize": 2}]}]})
    fails("2 outputs", [start], {"nodes": [{"entry": "start", "outputs": [{"output": 2}]}]})
    fails("no SV_DispatchGrid", [examples / "mandelbrot/mandelbrot.dxil"],
          {"nodes": [{"entry": "square", "maxGrid": [1, 1, 1]}]})
    fails("is not constant", [examples / "mandelbrot/mandelbrot.dxil"],
          {"nodes": [{"entry": "fill", "grid": [4, 4, 1]}]})
    fails("a stride of 8 bytes", [graphs / "local_root.dxil"], {"bindings": {"local": {"stride": 8}}})
    fails("did you mean \"rootSignature\"", [start], {"rootsignature": False})
    fails("there is no room for it (resource \"two\")", [graphs / "no_room.dxil"], {})
    fails("one launch mode, but 'list'[0] is a broadcasting node and 'list'[1] is a coalescing node",
          [graphs / "mixed_launches.dxil"], {})
    fails("output 0 leads to a node with an empty name", [graphs / "empty_names.dxil"], {})
    fails("the node has an empty name", [graphs / "empty_names.dxil"],
          {"nodes": [{"entry": "top", "outputs": [{"output": 0, "name": "named"}]}, {"entry": "leaf", "name": ""}]})
    fails("multiple of 8", [start], {"bindings": {"registers": [{"class": "u", "register": 0, "addressOffset": 4}]}})


def main():
    tool, graphs, examples = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:4])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        collection(tool, graphs, folder)
        functions(tool, graphs, folder)
        local_root(tool, graphs, folder)
        mixed_grids(tool, graphs, folder)
        unread_grids(tool, graphs, folder)
        no_registers(tool, graphs, folder)
        variables(tool, graphs, folder)
        matrices(tool, graphs, folder)
        float_exchange(tool, graphs, folder)
        typed_buffers(tool, graphs, folder)
        overridden(tool, graphs, folder)
        wave_sizes(tool, graphs, folder)
    reflection(tool, graphs)
    refused(tool, graphs, examples)


if __name__ == "__main__":
    main()

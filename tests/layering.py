#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of src/ include only what docs/design.md allows them to, and the rooms of src/layer only what
docs/layer.md does. Only those files write what a node declares, or what is decided about it, whose matter that is.

Usage: layering.py SRC, or layering.py --self-test
"""
import pathlib
import re
import sys
import tempfile

# Folder to the folders it may include besides itself. "shaders" stands for the generated headers.
ALLOWED = {
    "base": set(),
    "abi": set(),
    "spirv": {"base", "abi"},
    "graph": {"base", "abi"},
    "shader": {"base", "spirv"},
    "nodes": {"base", "abi", "data", "spirv", "graph", "shader", "shaders"},
    "commands": {"base", "abi", "spirv", "shader"},
    "mesh": {"base", "abi", "spirv", "shader", "commands"},
    "advisor": {"base", "spirv", "shader"},
    "glsl": {"base", "spirv"},
    "dxil": {"base", "spirv"},
    "trace": {"base"},
    "data": {"base"},
    "runtime": {"base", "abi", "data", "spirv", "graph", "shaders", "trace"},
    "api": {"base", "abi", "spirv", "graph", "nodes", "glsl"},
    "settings": {"base", "abi", "runtime"},
    "layer": {"base", "abi", "data", "spirv", "graph", "nodes", "commands", "mesh", "runtime", "settings", "shaders",
              "trace"},
    "shaders": {"abi"},
}

# The rooms of src/layer. Those of the core may include each other; a feature may include the core, and no other feature.
CORE = {"loader", "recording", "submission", "objects"}
FEATURES = {"commands", "graphs", "maintenance5", "mesh"}
ROOMS = {
    "base": set(),
    "chains": {"base"},
    **{room: {"base", "chains"} | CORE for room in CORE | FEATURES},
}
# The two parts of graph::Node, and the files that may write them. A file that no longer does leaves the list.
WRITERS = {
    "declared": {
        "nodes/fuse_graph.cpp",
        "nodes/mesh_node.cpp",
        "nodes/passes/reflect_node.cpp",
        "nodes/passes/reflect_outputs.cpp",
        "graph/link.cpp",
        "layer/graphs/node_pipelines.cpp",
    },
    "decided": {
        "nodes/fuse_graph.cpp",
        "nodes/passes/choose_packing.cpp",
        "layer/graphs/node_pipelines.cpp",
    },
}
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".glsl", ".comp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)/[^"]+"', re.MULTILINE)
ROOM_INCLUDE = re.compile(r'^\s*#\s*include\s+"layer/(?:([^"/]+)/)?[^"/]+"', re.MULTILINE)
PART_OF_TYPE = {"NodeDeclaration": "declared", "NodeDecisions": "decided"}
# An assignment to a member of a part or a call that changes one; a reference through which others could.
WRITE = re.compile(r"\b(declared|decided)\.[\w.]+(?:\[[^\]]*\])?(?:\s*(?:[-+|&]|<<|>>)?=(?!=)|"
                   r"(?<=push_back)\(|(?<=emplace_back)\(|(?<=resize)\(|(?<=clear)\()")
REFERENCE = re.compile(r"(?<!const )(?<!const graph::)\b(?:graph::)?(NodeDeclaration|NodeDecisions)&(?!&)")


def violations(source):
    """Yields one line of text for each include that is not allowed and each folder that is not known."""
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        if folder.name not in ALLOWED:
            yield f"{folder.name}: no tier is known for this folder"
            continue
        for file in sorted(folder.rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            for match in INCLUDE.finditer(file.read_text(encoding="utf-8")):
                target = match.group(1)
                # A folder of the file's own folder, such as "passes/...", is the folder itself.
                if target == folder.name or (folder / target).is_dir() or (file.parent / target).is_dir():
                    continue
                if target in ALLOWED and target not in ALLOWED[folder.name]:
                    yield f"{file.relative_to(source)}: {folder.name} must not include {target}"


def room_violations(layer):
    """The same for the rooms of src/layer."""
    for file in sorted(path for path in layer.rglob("*") if path.suffix in SUFFIXES):
        name = file.relative_to(layer).as_posix()
        room = name.rpartition("/")[0]
        if room not in ROOMS:
            yield f"layer/{name}: the file is in no room of the layer"
            continue
        targets = {match.group(1) for match in ROOM_INCLUDE.finditer(file.read_text(encoding="utf-8"))}
        for target in sorted(str(target) for target in targets - ROOMS[room] - {room}):
            yield f"layer/{name}: the room {room} must not include {target}"


def writer_violations(source, writers):
    """The same for writing the parts of graph::Node; `writers` lists the files that may, of each part."""
    found = {part: set() for part in writers}
    for folder in ("nodes", "graph", "layer", "runtime", "api"):
        for file in sorted((source / folder).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            text = file.read_text(encoding="utf-8")
            parts = {match.group(1) for match in WRITE.finditer(text)}
            parts |= {PART_OF_TYPE[match.group(1)] for match in REFERENCE.finditer(text)}
            for part in parts:
                found[part].add(file.relative_to(source).as_posix())
    for part, files in sorted(found.items()):
        for name in sorted(files - writers[part]):
            yield f"{name}: must not write what is {part} of a node"
        for name in sorted(writers[part] - files):
            yield f"{name}: does not write what is {part} of a node; take it from WRITERS"


def count_includes(source):
    return sum(len(INCLUDE.findall(file.read_text(encoding="utf-8")))
               for file in source.rglob("*") if file.suffix in SUFFIXES)


def self_test():
    """A tree with one violation of each kind must be refused."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("base", "graph", "layer"):
            (root / folder).mkdir()
        (root / "layer" / "good.cpp").write_text('#include "graph/graph.h"\n#include <vector>\n')
        assert not list(violations(root))
        (root / "graph" / "bad.cpp").write_text('#include "layer/layer.h"\n')
        (root / "misc").mkdir()
        found = list(violations(root))
        assert len(found) == 2, found
    with tempfile.TemporaryDirectory() as name:
        layer = pathlib.Path(name)
        for room in ("base", "recording", "graphs", "maintenance5"):
            (layer / room).mkdir()
        (layer / "graphs" / "good.cpp").write_text('#include "layer/recording/a.h"\n#include "layer/graphs/b.h"\n')
        (layer / "recording" / "good.cpp").write_text('#include "layer/recording/a.h"\n')
        assert not list(room_violations(layer))
        (layer / "base" / "bad.cpp").write_text('#include "layer/recording/a.h"\n')
        (layer / "maintenance5" / "bad.cpp").write_text('#include "layer/graphs/b.h"\n')
        (layer / "graphs" / "bad.cpp").write_text('#include "layer/old.h"\n')
        (layer / "recording" / "bad.cpp").write_text('#include "layer/graphs/b.h"\n')
        (layer / "homeless.cpp").write_text("")
        found = list(room_violations(layer))
        assert len(found) == 5, found
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "graph").mkdir()
        (root / "nodes").mkdir()
        (root / "graph" / "reads.cpp").write_text("bool a = node.declared.mode == b;\nconst NodeDecisions& c = d.decided;\n")
        (root / "nodes" / "decides.cpp").write_text("shader.node.decided.parts = 2;\n")
        writers = {"declared": set(), "decided": {"nodes/decides.cpp"}}
        assert not list(writer_violations(root, writers))
        for text in ("node.declared.id.name = a;", "node.declared.outputs.push_back(a);", "nodes[0].decided.parts |= 1;",
                     "node.declared.localSize[2] = 1;", "graph::NodeDecisions& out = node.decided;"):
            (root / "graph" / "writes.cpp").write_text(text + "\n")
            found = list(writer_violations(root, writers))
            assert len(found) == 1, (text, found)
        (root / "graph" / "writes.cpp").unlink()
        found = list(writer_violations(root, {"declared": {"nodes/decides.cpp"}, "decided": set()}))
        assert len(found) == 2, found
    print("layering.py detects violations")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    source = pathlib.Path(sys.argv[1])
    found = list(violations(source)) + list(room_violations(source / "layer"))
    found += list(writer_violations(source, WRITERS))
    for line in found:
        print(line)
    includes = count_includes(source)
    print(f"{includes} includes checked, {len(found)} violations")
    return 1 if found or includes == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

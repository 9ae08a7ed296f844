#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of src/ include only what docs/design.md allows them to.

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
    "compiler": {"base", "abi", "data", "spirv", "graph", "shaders"},
    "advisor": {"base", "spirv", "compiler"},
    "glsl": {"base", "spirv"},
    "dxil": {"base", "spirv"},
    "trace": {"base"},
    "data": {"base"},
    "runtime": {"base", "abi", "data", "spirv", "graph", "shaders", "trace"},
    "api": {"base", "abi", "spirv", "graph", "compiler"},
    "settings": {"base", "abi", "runtime"},
    "layer": {"base", "abi", "data", "spirv", "graph", "compiler", "runtime", "settings", "shaders", "trace"},
    "shaders": {"abi"},
}
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".glsl", ".comp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)/[^"]+"', re.MULTILINE)


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
    print("layering.py detects violations")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    source = pathlib.Path(sys.argv[1])
    found = list(violations(source))
    for line in found:
        print(line)
    includes = count_includes(source)
    print(f"{includes} includes checked, {len(found)} violations")
    return 1 if found or includes == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

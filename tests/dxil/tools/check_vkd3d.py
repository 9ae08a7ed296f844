#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries all DXIL that vkd3d-proton's tests have: not part of the tests, since it needs a checkout of that project.

Usage: check_vkd3d.py MILLRACE VKD3D_GIT_DIRECTORY

Prints how many programs of each kind translate, why the others do not, and whether the modules of each work graph
library link as one graph.
"""
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

KINDS = ("ps", "vs", "gs", "hs", "ds", "cs", "lib", "rg", "is", "ah", "ch", "mi", "ca", "ms", "as", "node")
SUPPORTED = ("cs", "lib", "ms", "as", "vs", "ps")


def programs(git_directory, folder="tests/shaders"):
    """Yields name, kind and bytes of each DXIL container in the headers."""
    git = ["git", "--git-dir", git_directory]
    listed = subprocess.run([*git, "ls-tree", "-r", "HEAD", "--name-only", folder], capture_output=True,
                            text=True, check=True).stdout.splitlines()
    for path in listed:
        if "/headers/" not in path:
            continue
        text = subprocess.run([*git, "show", "HEAD:" + path], capture_output=True, text=True, errors="replace",
                              check=True).stdout
        for body in re.findall(r"\[\]\s*=\s*\{([^}]*)\}", text):
            values = [int(value, 0) for value in re.findall(r"0x[0-9a-fA-F]+|\b\d+\b", body)]
            wide = any(value > 255 for value in values)
            content = b"".join(value.to_bytes(4 if wide else 1, "little") for value in values)
            kind = kind_of(content)
            if kind:
                yield path.removeprefix("tests/shaders/").replace("/headers", ""), kind, content


def kind_of(content):
    if content[:4] != b"DXBC":
        return None
    for part in range(struct.unpack_from("<I", content, 28)[0]):
        offset = struct.unpack_from("<I", content, 32 + 4 * part)[0]
        if content[offset:offset + 4] == b"DXIL":
            version = struct.unpack_from("<I", content, offset + 8)[0]
            return f"{KINDS[version >> 16]}_{version >> 4 & 15}_{version & 15}"
    return None


def translate(tool, content, folder):
    source = folder / "in.dxil"
    source.write_bytes(content)
    out = folder / "out"
    if out.is_dir():
        for file in out.iterdir():
            file.unlink()
    result = subprocess.run([tool, "dxil", source, "-o", out if kind_of(content).startswith("lib") else folder / "x.spv"],
                            capture_output=True, text=True, errors="replace", check=False)
    return result.returncode == 0, result.stderr.strip().rsplit("in.dxil: ", maxsplit=1)[-1]


def main():
    tool, git_directory = sys.argv[1:3]
    counts = collections.defaultdict(lambda: [0, 0])
    linked = [0, 0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, kind, content in programs(git_directory):
            done, reason = translate(tool, content, folder)
            counts[kind][0] += done
            counts[kind][1] += 1
            if not done and kind.split("_")[0] in SUPPORTED:
                print(f"{kind} {path}: {reason}")
            if done and path.startswith("workgraph/"):
                graph = subprocess.run([tool, "graph", *sorted((folder / "out").iterdir())], capture_output=True,
                                       text=True, check=False)
                linked[0] += graph.returncode == 0
                linked[1] += 1
                if graph.returncode != 0:
                    print(f"{path}: does not link: {graph.stderr.strip()}")
    for kind, (done, all_of_them) in sorted(counts.items()):
        print(f"{kind}: {done} of {all_of_them}")
    print(f"work graph libraries that link: {linked[0]} of {linked[1]}")


if __name__ == "__main__":
    main()

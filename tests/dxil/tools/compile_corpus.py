#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the HLSL of data/corpus and data/graphs anew: .dxil beside each .hlsl. Needs Microsoft's compiler, which neither the build nor the
tests do.

Usage: compile_corpus.py COMPILER [FILE...]

COMPILER is a program that takes IN.hlsl OUT.dxil and DXC's options. The first line of a file has the options; those of
scalar/ are put between prelude.hlsl and postlude.hlsl.
"""
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parents[1] / "data"
CORPUS = DATA / "corpus"


def compile_file(compiler, path, folder):
    text = path.read_text(encoding="utf-8")
    options = text.splitlines()[0].removeprefix("//").split()
    if path.parent.name == "scalar":
        text = (CORPUS / "prelude.hlsl").read_text() + text + (CORPUS / "postlude.hlsl").read_text()
    source = pathlib.Path(folder) / path.name
    source.write_text(text, encoding="utf-8")
    if "lib" not in options[1]:
        options += ["-E", "main"]
    target = path.with_suffix(".dxil")
    made = pathlib.Path(folder) / target.name
    subprocess.run([compiler, str(source), str(made), *options], check=False)
    if not made.exists():
        print(f"{path}: not compiled", file=sys.stderr)
        return False
    target.write_bytes(made.read_bytes())
    return True


def main():
    files = [pathlib.Path(name) for name in sys.argv[2:]]
    files = files or [*sorted(CORPUS.glob("*/*.hlsl")), *sorted((DATA / "graphs").glob("*.hlsl"))]
    with tempfile.TemporaryDirectory() as folder:
        failed = [path for path in files if not compile_file(sys.argv[1], path, folder)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

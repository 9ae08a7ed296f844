#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles sources without precompiled headers, of which they must not depend: other ones for each commit.

    without_headers.py PARTS BUILD    one source in PARTS of the build folder's compile_commands.json
    without_headers.py --self-test COMPILER
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def plain(command):
    """The command without what CMake adds for a precompiled header, which makes no object; None if it has none."""
    words = shlex.split(command)
    kept, i = [], 0
    while i < len(words):
        # g++: -include HEADER; clang: the same and -include-pch FILE, each word behind -Xclang.
        taken = [word for word in words[i:i + 4] if word != "-Xclang"][:2]
        if len(taken) == 2 and taken[0] in ("-include", "-include-pch") and "cmake_pch" in taken[1]:
            i = words.index(taken[1], i) + 1
        elif words[i] in ("-o", "-MF", "-MT"):
            i += 2
        elif words[i] in ("-Winvalid-pch", "-MD"):
            i += 1
        else:
            kept.append(words[i])
            i += 1
    return kept + ["-fsyntax-only"] if "cmake_pch" in command else None


def failures(commands):
    failed = []
    for entry in commands:
        command = plain(entry["command"])
        result = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True, check=False)
        if result.returncode:
            failed.append(entry["file"])
            print(f"{shlex.join(command)}\n{result.stderr}")
    return failed


def main(parts, build):
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    entries = [entry for entry in entries if plain(entry["command"]) and "cmake_pch" not in entry["file"]]
    seed = int(os.environ.get("MILLRACE_TEST_SEEDS", "0")) // 10000
    chosen = entries[seed % parts::parts]
    print(f"{len(chosen)} of {len(entries)} sources without precompiled headers")
    failed = failures(chosen)
    for file in failed:
        print(f"does not include what it uses: {file}")
    return 1 if failed or not chosen else 0


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder) / "cmake_pch.hxx"
        header.write_text("#include <vector>\n")
        use = "std::vector<int> one() { return {1}; }\n"
        entries = []
        for name, text in (("poor.cpp", use), ("good.cpp", "#include <vector>\n" + use)):
            source = pathlib.Path(folder) / name
            source.write_text(text)
            for flags in (f"-include {header}", f"-Xclang -include -Xclang {header}"):
                entries.append({"directory": folder, "file": name, "command":
                                f"{compiler} -Winvalid-pch {flags} -o x.o -c {source}"})
        subprocess.run(shlex.split(entries[0]["command"]), cwd=folder, check=True)
        assert failures(entries) == ["poor.cpp", "poor.cpp"]
        pch = plain(f"c++ -Xclang -include-pch -Xclang {header}.pch -Xclang -include -Xclang {header} -Xclang -x a.cpp")
        assert pch == ["c++", "-Xclang", "-x", "a.cpp", "-fsyntax-only"], pch
        assert plain("c++ -c a.cpp") is None
    return 0


if __name__ == "__main__":
    sys.exit(self_test(sys.argv[2]) if sys.argv[1] == "--self-test" else main(int(sys.argv[1]), sys.argv[2]))

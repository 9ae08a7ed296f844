#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Translates the work graphs of others, and runs those of which it is known what they compute: DXC's tests with nodes, and
Microsoft's and AMD's samples. Not part of the tests, since it needs their checkouts and Microsoft's compiler. Nothing of
them is copied here.

Usage: check_work_graphs.py MILLRACE DRIVER [--dxc GIT] [--directx-samples GIT] [--playground GIT] [--mesh-nodes GIT]
                            [--hello GIT] [--keep FOLDER] [--device TEXT]

GIT are git directories: of microsoft/DirectXShaderCompiler, microsoft/DirectX-Graphics-Samples, and GPUOpen's
WorkGraphPlayground, WorkGraphsMeshNodeSample and WorkGraphsHelloWorkGraphs. DRIVER is that of check_validator.py. A line a
program: equal (it ran, and its buffers have what they must), valid (all its nodes are valid SPIR-V, those of a sample are one
graph), different, refused, or not compiled, each with the reason; then the counts. The exit status is 1 if one is different.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import check_translations
import check_validator

NODE = re.compile(r'\[\s*shader\s*\(\s*"node"', re.IGNORECASE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)
# Of a run line: what makes no DXIL, or is told to the test's own tools.
NO_DXIL = ("-fcgl", "-ast-dump", "-ast-dump-implicit", "-verify", "-link", "-P", "-Odump")
WITH_SPIRV = re.compile(r"-spirv|-fspv-.*|-fvk-.*")


class Program:
    """A source with the compiler's options; of a sample also what runs."""

    def __init__(self, kind, name, text, options, graph=None, is_sample=False):
        self.kind, self.name, self.text, self.options = kind, name, text, options
        self.graph, self.is_sample = graph, is_sample


def programs_of_dxc(git_directory):
    """Each run line that makes DXIL of a file with nodes; of tests of DXC's SPIR-V the same source as DXIL."""
    for path in check_translations.listed(git_directory, "tools/clang/test"):
        if not path.endswith(".hlsl"):
            continue
        text = check_translations.read(git_directory, path).decode(errors="replace")
        if not NODE.search(text):
            continue
        name = path.removeprefix("tools/clang/test/").replace("/", "+")
        for number, run in enumerate(re.findall(r"RUN: *%dxc (.*?)(?:\||$)", text, re.MULTILINE)):
            words = [word for word in shlex.split(run) if word != "%s" and not WITH_SPIRV.fullmatch(word)]
            # A word that is alone is a second file, which those lines have by mistake.
            options = [word for before, word in zip([""] + words, words) if word != "external" or before == "-default-linkage"]
            profile = re.search(r"-T ?(lib_6_\d+)", run)
            if profile and not any(word.startswith(option) for word in options for option in NO_DXIL):
                yield Program("DXC's tests", f"{number}.{name}", text, options)


def with_includes(git_directory, folder, path, seen):
    """The text of a file with what it includes in place, each file once."""
    seen.add(path)
    text = check_translations.read(git_directory, path).decode("utf-8-sig")

    def replace(found):
        for place in (pathlib.PurePosixPath(path).parent, pathlib.PurePosixPath(folder)):
            other = str(place / found.group(1))
            if other in seen:
                return ""
            if other in listed:
                return with_includes(git_directory, folder, other, seen)
        return found.group()

    listed = check_translations.listed(git_directory, folder)
    return INCLUDE.sub(replace, text)


def hello_of_microsoft():
    """Four records with grids of 1 to 4 workgroups of two threads, each of which sends a number."""
    sums = [sum(2 * (2 * group + thread) + thread + 1 for group in range(grid) for thread in range(2)) for grid in range(1, 5)]
    words = sums + [2 * grid for grid in range(1, 5)]
    return {"buffers": [{"name": "UAV", "address": True, "size": 64}],
            "dispatches": [{"node": "firstNode", "payloads": [[grid, grid - 1] for grid in range(1, 5)]}],
            "expected": words}


def hello_of_amd():
    """Three words, which are "Hello World"."""
    return {"buffers": [{"name": "UAV", "set": 0, "binding": 0, "size": 12}],
            "dispatches": [{"node": "BroadcastNode", "count": 1}],
            "expected": list(struct.unpack("<3I", b"Hello World\0"))}


def sandbox_of_microsoft():
    """Five records for each entry point, whose first word counts up, the others being 3; each node adds to the word that its
    local root arguments name: the index of the node's arguments, which are numbered by hand here."""
    tables = {"firstNode": 1, "secondNode": 0, "thirdNode": 2, "thirdNodeAnotherShader": 3, "fourthNode": 4, "fifthNode": 5}
    records, groups = 5, 10 * 10 * 10
    words = [0] * 6
    counted = 0
    for i in range(records):
        total = i + 9
        words[1] += 2 * groups * total
        words[2] += groups * total
        words[3] += groups * total
        counted += 5 * groups
        # From firstNode with its own word's number as value, then down three levels; and from the API with value 3.
        for times, value in ((groups, tables["firstNode"]), (1, 3)):
            for level in range(4):
                words[4] += times * (i + level + (value if level == 0 else tables["fourthNode"]))
                counted += 4 * times
        # A grid of i x 3 x 3 workgroups, in a record of (i, 3, 3, 3).
        words[5] += i * 9 * 3
    words[0] = counted
    words = [word % 2 ** 32 for word in words]
    words[3] |= 0x80000000
    return {"buffers": [{"name": "UAV", "address": True, "size": 64},
                        {"name": "arguments", "set": 6, "binding": 0, "data": [word for i in range(6) for word in (i, 0)]}],
            "dxil": {"nodes": [{"entry": entry, "localTableIndex": index} for entry, index in tables.items()]},
            "dispatches": [{"launches": [
                {"node": "firstNode", "payloads": [[i, 3, 3, 3] for i in range(records)]},
                {"node": "fourthNode", "payloads": [[i, 3] for i in range(records)]},
                {"node": "fifthNode", "payloads": [[[i, 3, 3], 3] for i in range(records)]}]}],
            "expected": words}


def programs_of_samples(arguments):
    if arguments.directx_samples:
        folder = "Samples/Desktop/D3D12HelloWorld/src"
        for name, graph in (("HelloWorkGraphs", hello_of_microsoft()), ("WorkGraphsSandbox", sandbox_of_microsoft())):
            text = check_translations.read(arguments.directx_samples, f"{folder}/{name}/D3D12{name}.hlsl").decode("utf-8-sig")
            yield Program("Microsoft's samples", name, text, ["-T", "lib_6_8"], graph, True)
    if arguments.hello:
        text = check_translations.read(arguments.hello, "HelloWorkGraph.cpp").decode(errors="replace")
        lines = re.search(r'^\s*"RWByteAddressBuffer.*?";', text, re.MULTILINE | re.DOTALL).group()
        source = "\n".join(re.findall(r'^\s*"(.*)"', lines, re.MULTILINE)).replace('\\"', '"')
        # Compilers since then want it in lower case.
        source = source.replace('NodeLaunch("Broadcasting")', 'NodeLaunch("broadcasting")')
        yield Program("AMD's samples", "HelloWorkGraphs", source, ["-T", "lib_6_8"], hello_of_amd(), True)
    options = ["-T", "lib_6_8", "-enable-16bit-types", "-HV", "2021"]
    for git, folder in ((arguments.playground, "tutorials"), (arguments.mesh_nodes, "meshNodeSample/shaders")):
        for path in check_translations.listed(git, folder) if git else []:
            if path.endswith(".hlsl"):
                text = with_includes(git, folder, path, set())
                if NODE.search(text):
                    yield Program("AMD's samples", path.replace("/", "+"), text, options, None, folder == "tutorials")


class Runner:
    """The tool, and a folder."""

    def __init__(self, arguments, folder):
        self.tool = pathlib.Path(arguments.tool).resolve()
        self.device = ["--device", arguments.device] if arguments.device else []
        self.folder = folder

    def job(self, program, number):
        program.home = self.folder / str(number)
        program.home.mkdir(exist_ok=True)
        (program.home / "graph.hlsl").write_text(program.text, encoding="utf-8")
        return ("c", program.home / "graph.hlsl", program.home / "graph.dxil", program.home / "words.txt", *program.options)

    def call(self, *words):
        result = subprocess.run([self.tool, *words], capture_output=True, text=True, errors="replace", timeout=3600, check=False)
        lines = [line for line in (result.stderr or result.stdout).splitlines() if "error" in line] or [""]
        return result.returncode == 0, re.sub(r"^.*?error: ?(\S*\.dxil: )?", "", lines[0])[:300]

    def outcome(self, program):
        container = program.home / "graph.dxil"
        if not container.exists():
            said = program.home / "words.txt"
            text = said.read_bytes().decode(errors="replace").replace("\0", "") if said.exists() else ""
            errors = [line for line in text.splitlines() if "error" in line] or ["no words"]
            return "not compiled", re.sub(r"^.*?error: ?", "", errors[0])[:200]
        done, reason = self.call("dxil", container, "-o", program.home / "nodes")
        if not done:
            return "refused", reason
        modules = sorted((program.home / "nodes").glob("*.spv")) if (program.home / "nodes").is_dir() else []
        if program.is_sample and modules:
            done, reason = self.call("graph", *modules)
            if not done:
                return "different", f"the nodes are no graph: {reason}"
        return self.run(program) if program.graph else ("valid", "")

    def run(self, program):
        graph = program.graph
        node = {"file": "graph.dxil", "dxil": graph.get("dxil", {})}
        buffers = [self.buffer(described) for described in graph["buffers"]]
        document = {"nodes": [node], "buffers": buffers, "dispatches": graph["dispatches"]}
        if any("address" in described for described in graph["buffers"]):
            document["push_constants"] = [{"address": "UAV"}]
        (program.home / "graph.json").write_text(json.dumps(document, indent=1))
        result = subprocess.run([self.tool, "run", program.home / "graph.json", "--json", *self.device], capture_output=True,
                                text=True, errors="replace", timeout=3600, check=False)
        if result.returncode != 0:
            return "different", (result.stderr or result.stdout)[:300]
        got = next(iter(json.loads(result.stdout)["results"]["UAV"].values()))[:len(graph["expected"])]
        return ("equal", "") if got == graph["expected"] else ("different", f"{got}, not {graph['expected']}")

    @staticmethod
    def buffer(described):
        # One that is reached by its address is bound where no shader looks.
        out = {"name": described["name"], "set": 7, "binding": 0}
        if "data" in described:
            out["data"] = {"member0": described["data"]}
        else:
            out |= {"size": described["size"], "print": True}
        return out | {key: described[key] for key in ("set", "binding") if key in described}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", metavar="MILLRACE")
    parser.add_argument("driver", metavar="DRIVER")
    for name in ("dxc", "directx-samples", "playground", "mesh-nodes", "hello"):
        parser.add_argument(f"--{name}", metavar="GIT")
    parser.add_argument("--keep", metavar="FOLDER", help="where programs and modules stay")
    parser.add_argument("--device", metavar="TEXT", help="the device with this in its name")
    arguments = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(arguments.keep or name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        runner = Runner(arguments, folder)
        programs = [*(programs_of_dxc(arguments.dxc) if arguments.dxc else []), *programs_of_samples(arguments)]
        check_validator.drive(arguments.driver, [runner.job(program, n) for n, program in enumerate(programs)], folder)
        for program in programs:
            outcome, reason = runner.outcome(program)
            counts[program.kind, outcome] += 1
            print(f"{program.kind}: {program.name}: {outcome}{': ' if reason else ''}{reason}")
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind}: {count} {outcome}")
    return 1 if any(outcome == "different" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())

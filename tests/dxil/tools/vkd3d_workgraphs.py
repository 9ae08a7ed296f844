#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The work graph libraries that vkd3d-proton's tests have give the results that those tests expect.

Usage: vkd3d_workgraphs.py MILLRACE [CORPUS] [--save FOLDER | --measure COUNTS] [--device TEXT]

CORPUS is the git directory of a clone of vkd3d-proton, or a folder to which --save wrote the libraries, for a machine that
has no clone; it may be given as MILLRACE_VKD3D in the environment instead. Without it nothing is tested, and the exit
status is 77. The libraries are read from there, never copied here. Root UAVs are addresses in the push constants, as there.

--measure 1,1000,100000 runs eight of them with so many inputs, checks the results, and prints the time on the device.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import check_vkd3d
import vkd3d_workgraph_cases as cases

SKIPPED = 77


class Runner:
    """The tool, the libraries, and a folder to work in."""

    def __init__(self, tool, device, libraries, folder):
        self.tool, self.device, self.libraries, self.folder = tool, device, libraries, folder

    def run(self, case, repeats=1):
        """The report of `millrace run`, and what is wrong, or nothing."""
        file = self.folder / (case.library + ".dxil")
        file.write_bytes(self.libraries[case.library])
        graph = self.folder / "graph.json"
        graph.write_text(json.dumps(graph_of(case, file)))
        command = [self.tool, "run", graph, "--json", "--repeat", str(repeats)]
        if self.device:
            command += ["--device", self.device]
        result = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
        if result.returncode != 0:
            return None, result.stderr.strip() or result.stdout
        report = json.loads(result.stdout)
        return report, difference(report["results"], case.expected)


def graph_of(case, file):
    """The test's root signature: two UAVs by address."""
    options = {"rootSignature": {"parameters": [{"class": "u", "register": 0}, {"class": "u", "register": 1}]}}
    options.update(case.options or {})
    outputs = [{"name": f"uav{i}", "set": 3, "binding": i, "size": cases.WORDS * 4, "print": True}
               for i in range(len(case.expected))]
    graph = {"nodes": [{"file": str(file), "dxil": options}], "buffers": outputs + (case.buffers or []),
             "dispatches": case.dispatches}
    if case.library != "local_root_signature":  # no node of it sees a global argument
        graph["push_constants"] = [{"address": f"uav{min(i, len(outputs) - 1)}"} for i in range(2)]
    return graph


def difference(results, expected):
    for i, wanted in enumerate(expected):
        got = results[f"uav{i}"]["words"]
        wrong = [at for at in range(cases.WORDS) if got[at] != wanted[at]]
        if wrong:
            return f"uav{i}[{wrong[0]}] is {got[wrong[0]]} instead of {wanted[wrong[0]]}, {len(wrong)} are wrong"
    return None


def check(runner):
    every = cases.all_cases()
    missing = {case.library for case in every} ^ set(runner.libraries)
    if missing:
        print(f"not both here and there: {sorted(missing)}")
        return False
    right, failed = 0, set()
    for case in every:
        _, wrong = runner.run(case)
        right += not wrong
        if wrong:
            failed.add(case.library)
            print(f"{case.library}, {case.name}: {wrong}")
    print(f"work graph libraries with the results that are expected: {len(runner.libraries) - len(failed)} of "
          f"{len(runner.libraries)}; {right} of {len(every)} dispatches")
    return not failed


def measure(runner, counts, repeats):
    """A table as Markdown: device time in microseconds, median (least)."""
    print("| graph |" + "".join(f" {count} |" for count in counts) + "\n|---|" + "---|" * len(counts))
    failures = []
    for column in zip(*(cases.shapes(count) for count in counts)):
        cells = []
        for count, (title, case) in zip(counts, column):
            report, wrong = runner.run(case, repeats)
            if wrong:
                failures.append(f"{title}, {count}: {wrong}")
                cells.append("wrong")
            else:
                time = report["device_ms"]
                cells.append(f"{time['median'] * 1000:.1f} ({time['min'] * 1000:.1f})")
        print(f"| {column[0][0]} | " + " | ".join(cells) + " |", flush=True)
    print("\n".join(failures) if failures else "all results are right")
    return not failures


def libraries_of(corpus):
    saved = sorted(pathlib.Path(corpus).glob("*.dxil"))
    if saved:
        return {file.stem: file.read_bytes() for file in saved}
    return {pathlib.Path(path).stem: content
            for path, _, content in check_vkd3d.programs(corpus, "tests/shaders/workgraph")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", metavar="MILLRACE")
    parser.add_argument("corpus", nargs="?", default=os.environ.get("MILLRACE_VKD3D"))
    parser.add_argument("--save", metavar="FOLDER", help="only write the libraries to this folder")
    parser.add_argument("--measure", metavar="COUNTS", help="numbers of inputs, separated by commas")
    parser.add_argument("--repeat", type=int, default=15, help="runs of each measurement")
    parser.add_argument("--device", metavar="TEXT", help="the device with this in its name")
    arguments = parser.parse_args()
    if not arguments.corpus:
        print("SKIPPED: no vkd3d-proton. Set MILLRACE_VKD3D to the git directory of a clone.")
        return SKIPPED
    libraries = libraries_of(arguments.corpus)
    if arguments.save:
        for name, content in libraries.items():
            (pathlib.Path(arguments.save) / (name + ".dxil")).write_bytes(content)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.tool, arguments.device, libraries, pathlib.Path(folder))
        if arguments.measure:
            return 0 if measure(runner, [int(count) for count in arguments.measure.split(",")], arguments.repeat) else 1
        return 0 if check(runner) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the compute shaders of llvm's offload-test-suite as nodes of a graph and compares what they write. Not part of the
tests, since it needs that project's checkout and Microsoft's compiler. Nothing of either is copied here.

Usage: offload_suite.py MILLRACE DRIVER GIT_DIRECTORY [--only TEXT] [--device TEXT] [--jobs N] [--keep FOLDER]

DRIVER is that of check_validator.py. Each shader becomes a broadcasting node with the grid that its test dispatches, in a
library without root signature. A line a test: equal, different (with the first place), refused (by the translation or the
tool, with its words), not compiled (with DXC's words), as the suite expects (one of these, and the suite says so of DXC for
Direct3D) or unsupported (with what nodes of `millrace run` have not); then the counts, by reason. The exit status is 1 if one is different or refused.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import check_translations
import check_validator
import offload_cases

BINDINGS = {"t": 1000, "u": 0, "b": 2000}
COUNTERS = 4000


def half(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def ordered(value, size):
    """Numbers whose distance is one in the last place, as the suite takes them."""
    if size == 2:
        return ~value & 0xffff if value & 0x8000 else value | 0x8000
    return struct.unpack("<I" if size == 4 else "<Q", struct.pack("<f" if size == 4 else "<d", value))[0]


def same_float(got, wanted, rule, buffer):
    real_got, real_wanted = (half(got), half(wanted)) if buffer.size == 2 else (got, wanted)
    if real_got == real_wanted or math.isnan(real_got) and math.isnan(real_wanted):
        return True
    if math.isnan(real_got) or math.isnan(real_wanted):
        return False
    smallest = {4: 2.0 ** -126, 8: 2.0 ** -1022}.get(buffer.size, 0)
    if rule.get("DenormMode", "Any") == "Any" and abs(real_wanted) < smallest and real_got == 0:
        return math.copysign(1, real_got) == math.copysign(1, real_wanted)
    if rule["Rule"] == "BufferFloatEpsilon":
        return abs(real_got - real_wanted) < float(rule["Epsilon"])
    zero = float(rule.get("ZeroTolerance", 0))
    if zero > 0 and min(abs(real_got), abs(real_wanted)) <= zero:
        return abs(real_got - real_wanted) <= zero
    return abs(ordered(got, buffer.size) - ordered(wanted, buffer.size)) <= int(rule["ULPT"])


def compare_rule(case, rule, contents):
    actual, expected = case.buffers[rule["Actual"]], case.buffers[rule["Expected"]]
    got = contents[actual.name][:len(actual.content)]
    if rule["Rule"] == "BufferExact":
        same = got == expected.content
        pairs = zip(actual.values(got), expected.values(expected.content))
        where = next((f"element {i} is {a}, not {b}" for i, (a, b) in enumerate(pairs) if a != b), "the size")
        return None if same else f"{actual.name}: {where}"
    if not rule["Rule"].startswith("BufferFloat"):
        raise offload_cases.Unsupported(f"the rule {rule['Rule']}")
    for i, (a, b) in enumerate(zip(actual.values(got), expected.values(expected.content), strict=True)):
        if not same_float(a, b, rule, actual):
            shown = (half(a), half(b)) if actual.size == 2 else (a, b)
            return f"{actual.name}: element {i} is {shown[0]}, not {shown[1]}"
    return None


def compare_check(buffer, numbers, content):
    """Numbers as they are printed, in their order; others may lie between them."""
    rest = iter(buffer.values(content))
    for text in numbers:
        wanted = offload_cases.number(text, buffer.code)
        exact = buffer.code not in "fd"
        if not any(value == wanted if exact else math.isclose(value, wanted, rel_tol=1e-5) for value in rest):
            return f"{buffer.name}: no {text} where it is expected"
    return None


def compare(case, contents):
    """What differs first; None: nothing."""
    rules = case.results()
    checks = [(name, numbers) for name, numbers in case.checks() if numbers]
    names = list(case.buffers)
    compared = 0
    for rule in rules:
        if rule["Actual"] not in contents:
            raise offload_cases.Unsupported("results that are no buffers")
        difference = compare_rule(case, rule, contents)
        compared += 1
        if difference:
            return difference
    for name, numbers in checks if not rules else []:
        # Without a name it is the last of the buffers, which the suite prints in their order.
        name = name or names[-1]
        if name not in contents:
            continue
        difference = compare_check(case.buffers[name], numbers, contents[name][:len(case.buffers[name].content)])
        compared += 1
        if difference:
            return difference
    if compared == 0:
        raise offload_cases.Unsupported("nothing that is compared")
    return None


def first_line(text):
    lines = [line for line in text.replace("\0", "").splitlines() if "error" in line] or text.splitlines() or ["no words"]
    return re.sub(r"^.*?error: ?", "", lines[0]).strip()[:200]


class Runner:
    """The tool, and a folder for each test."""

    def __init__(self, tool, device, folder):
        self.tool, self.device, self.folder = tool, device, folder

    def home(self, case):
        home = self.folder / case.path.replace("/", "+")
        home.mkdir(parents=True, exist_ok=True)
        return home

    def job(self, case):
        """What the compiler's driver is told."""
        home = self.home(case)
        text, options = case.source()
        (home / "node.hlsl").write_text(text, encoding="utf-8")
        return ("c", home / "node.hlsl", home / "node.dxil", home / "words.txt", *options)

    def graph(self, case):
        home = self.home(case)
        buffers = []
        for name, kind, register, space, has_counter, texels in case.resources:
            content = case.buffers[name].content
            (home / f"{name}.bin").write_bytes(content if texels else content + bytes(-len(content) % 4))
            described = {"name": name, "set": space, "binding": BINDINGS[kind] + register, "file": f"{name}.bin",
                         "output": f"{name}.out.bin"}
            buffers.append({**described, "format": texels} if texels else described)
            if has_counter:
                buffers.append({"name": f"{name} counter", "set": space, "binding": COUNTERS + register, "size": 4})
        graph = {"nodes": [{"file": "node.dxil", "entry": case.entry, "dxil": {"rootSignature": False}}], "buffers": buffers,
                 "dispatches": [{"node": case.entry, "count": 1}]}
        (home / "graph.json").write_text(json.dumps(graph, indent=1))
        return home

    def run(self, case):
        """Outcome and reason."""
        home = self.graph(case)
        if not (home / "node.dxil").exists():
            words = home / "words.txt"
            said = first_line(words.read_bytes().decode(errors="replace") if words.exists() else "")
            return "as the suite expects" if case.fails_elsewhere() else "not compiled", said
        device = ["--device", self.device] if self.device else []
        result = subprocess.run([self.tool, "run", home / "graph.json", "-o", home, *device], capture_output=True, text=True,
                                errors="replace", timeout=3600, check=False)
        if result.returncode != 0:
            said = first_line(result.stderr or result.stdout).replace(str(home), "")
            if "it wants waves of" in said:
                raise offload_cases.Unsupported("waves of a size that the device has not")
            if "has no texels of 32-bit numbers" in result.stderr:
                raise offload_cases.Unsupported("atomic operations of 64 bits on typed buffers")
            return "refused", said
        contents = {name: (home / f"{name}.out.bin").read_bytes() for name, *_ in case.resources}
        difference = compare(case, contents)
        if difference and case.fails_elsewhere():
            return "as the suite expects", difference
        return ("different", difference) if difference else ("equal", "")

    def outcome(self, case):
        try:
            return self.run(case)
        except offload_cases.Unsupported as reason:
            return "unsupported", str(reason)


def read_cases(git_directory, only):
    """Cases, and the reasons of those that are none."""
    cases, refused = [], []
    for path in check_translations.listed(git_directory, "test"):
        if not path.endswith((".test", ".yaml")) or only not in path:
            continue
        try:
            case = offload_cases.Case(path, check_translations.read(git_directory, path).decode(errors="replace"))
            case.source()
            cases.append(case)
        except offload_cases.Unsupported as reason:
            refused.append((path, "unsupported", str(reason)))
    return cases, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", metavar="MILLRACE")
    parser.add_argument("driver", metavar="DRIVER")
    parser.add_argument("suite", metavar="GIT_DIRECTORY")
    parser.add_argument("--only", default="", metavar="TEXT", help="tests with this in their path")
    parser.add_argument("--device", metavar="TEXT", help="the device with this in its name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="where programs, graphs and results stay")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(arguments.keep or name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        runner = Runner(pathlib.Path(arguments.tool).resolve(), arguments.device, folder)
        cases, outcomes = read_cases(arguments.suite, arguments.only)
        check_validator.drive(arguments.driver, [runner.job(case) for case in cases], folder)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for case, (outcome, reason) in zip(cases, pool.map(runner.outcome, cases)):
                outcomes.append((case.path, outcome, reason))
    for path, outcome, reason in sorted(outcomes):
        print(f"{path}: {outcome}{': ' if reason else ''}{reason}")
    counts = collections.Counter((outcome, reason if outcome == "unsupported" else "") for _, outcome, reason in outcomes)
    print(f"{len(outcomes)} tests")
    for (outcome, reason), count in sorted(counts.items(), key=lambda row: (row[0][0], -row[1])):
        print(f"  {count} {outcome}{': ' if reason else ''}{reason}")
    return 1 if any(outcome in ("different", "refused") for _, outcome, _ in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases of Khronos's conformance tests, with or without the layer, and compares what two runs say.

  scripts/deqp.py run PROGRAM CASES RESULTS [--layer FOLDER] [--setting KEY=VALUE ...]
  scripts/deqp.py compare REFERENCE RESULTS

PROGRAM is deqp-vk; CASES has the name of a case in each line; RESULTS gets a line for each as soon as it has run: name,
result, what it says.
--layer: the folder with VkLayer_MILLRACE_emulation.json. --asking: that of VkLayer_MILLRACE_test_asking.json, a layer above
it that enables execution graphs on every device. A case that ends its process, or says nothing for --hang seconds,
is Crash or Timeout, and the others of that process run in a new one.

compare counts the results of both by group, and lists each case that passes in REFERENCE and neither passes nor is
unsupported in RESULTS; the exit status is 1 if there is one. The unsupported are counted by what they say. Both files must
have the same cases; with --common those that only one has, as after a run that was ended early, are left out."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import threading
import time

LAYER = "VK_LAYER_MILLRACE_emulation"
ASKING = "VK_LAYER_MILLRACE_test_asking"
CASE = re.compile(r"Test case '([^']+)'\.\.")
RESULT = re.compile(r"^  (Pass|Fail|NotSupported|QualityWarning|CompatibilityWarning|InternalError|ResourceError|Crash|"
                    r"Timeout|Waiver|DeviceLost|Pending|Terminated) \((.*)\)$")
GOOD = {"Pass", "QualityWarning", "CompatibilityWarning", "Waiver"}


class Output:
    """Lines of a process, which a silence of SECONDS ends."""

    def __init__(self, process, seconds):
        self._process, self._seconds = process, seconds
        self.is_silent = False

    def lines(self):
        rest, pipe = b"", self._process.stdout.fileno()
        while True:
            if not select.select([pipe], [], [], self._seconds)[0]:
                self.is_silent = True
                self._process.kill()
                return
            some = os.read(pipe, 65536)
            if not some:
                return
            *whole, rest = (rest + some).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)


def run_process(command, environment, cases, seconds, record):
    """Calls RECORD for cases until the process ends, and returns those of CASES that it has not run."""
    with tempfile.TemporaryDirectory() as folder:
        names = pathlib.Path(folder) / "cases.txt"
        names.write_text("".join(f"{case}\n" for case in cases))
        words = [*command, f"--deqp-caselist-file={names}", f"--deqp-log-filename={folder}/log.qpa",
                 "--deqp-log-images=disable", "--deqp-log-shader-sources=disable", "--deqp-shadercache=disable"]
        with subprocess.Popen(words, env=environment, cwd=pathlib.Path(command[0]).parent, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as process:
            output = Output(process, seconds)
            current, done, last = None, set(), ""
            for line in output.lines():
                if found := CASE.search(line):
                    current = found[1]
                elif (found := RESULT.match(line)) and current:
                    record(current, found[1], found[2])
                    done.add(current)
                    current = None
                elif line.strip():
                    last = line.strip()
            status = process.wait()
    if current:
        record(current, "Timeout" if output.is_silent else "Crash", f"status {status}: {last}")
        done.add(current)
    return [case for case in cases if case not in done]


def run_share(command, environment, cases, seconds, record):
    """All of CASES. A process that runs none of those that it was given has nothing to say of the first."""
    while cases:
        left = run_process(command, environment, cases, seconds, record)
        if len(left) == len(cases):
            record(left.pop(0), "Crash", "the process ended without running a case")
        cases = left


def run(arguments):
    environment = dict(os.environ)
    layers = {name: os.path.abspath(folder) for name, folder in ((ASKING, arguments.asking), (LAYER, arguments.layer))
              if folder}
    if layers:
        environment["VK_ADD_LAYER_PATH"] = os.pathsep.join(layers.values())
        environment["VK_INSTANCE_LAYERS"] = os.pathsep.join(layers)
    for setting in arguments.setting:
        key, _, value = setting.partition("=")
        environment[f"VK_MILLRACE_EMULATION_{key.upper()}"] = value
    cases = [line.strip() for line in pathlib.Path(arguments.cases).read_text().splitlines() if line.strip()]
    counts, lock, start = collections.Counter(), threading.Lock(), time.monotonic()
    command = [os.path.abspath(arguments.program), *arguments.option]
    shares = [cases[i:i + arguments.share] for i in range(0, len(cases), arguments.share)]
    with (open(arguments.results, "w", encoding="utf-8", buffering=1) as out,
          concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool):

        def record(case, result, text):
            with lock:
                out.write(f"{case}\t{result}\t{text}\n")
                counts[result] += 1
                if counts.total() % 500 == 0:
                    print(f"{counts.total()} of {len(cases)}, {time.monotonic() - start:.0f} s", flush=True)

        for job in [pool.submit(run_share, command, environment, share, arguments.hang, record) for share in shares]:
            job.result()
    print(", ".join(f"{result} {count}" for result, count in counts.items()))
    return 0


def read_results(path):
    rows = (line.rstrip("\n").split("\t", 2) for line in open(path, encoding="utf-8"))
    return {case: (result, text) for case, result, text in rows}


def group_of(case, depth):
    return ".".join(case.split(".")[:-1][:depth])


def word_of(result):
    return "passed" if result in GOOD else "unsupported" if result == "NotSupported" else "failed"


def compare(arguments):
    reference, results = read_results(arguments.reference), read_results(arguments.results)
    if missing := sorted(reference.keys() ^ results.keys()):
        print(f"cases that one of the files lacks: {len(missing)}, as {missing[0]}")
        if not arguments.common:
            return 1
        reference = {case: row for case, row in reference.items() if case in results}
    table = collections.defaultdict(collections.Counter)
    for case, (result, _) in reference.items():
        table[group_of(case, arguments.depth)]["reference " + word_of(result)] += 1
        table[group_of(case, arguments.depth)][word_of(results[case][0])] += 1
    columns = [prefix + word for prefix in ("reference ", "") for word in ("passed", "unsupported", "failed")]
    print("| group | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for group in sorted(table):
        print(f"| {group} | " + " | ".join(str(table[group][column]) for column in columns) + " |")
    lost = {case: results[case] for case, (result, _) in reference.items()
            if result in GOOD and results[case][0] not in GOOD}
    texts = collections.Counter(text for result, text in lost.values() if result == "NotSupported")
    print("\nunsupported here alone:" if texts else "\nnothing is unsupported here alone")
    for text, count in texts.most_common():
        print(f"  {count:6} {text}")
    failed = [(case, *what) for case, what in lost.items() if what[0] != "NotSupported"]
    print(f"\nfailed here alone: {len(failed)}")
    for row in failed:
        print("  " + " | ".join(row))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="run cases")
    runs.add_argument("program")
    runs.add_argument("cases")
    runs.add_argument("results")
    runs.add_argument("--layer", metavar="FOLDER", help="with the layer of this folder; else without any")
    runs.add_argument("--asking", metavar="FOLDER", help="with the layer of this folder above it")
    runs.add_argument("--setting", action="append", default=[], metavar="KEY=VALUE", help="of the layer")
    runs.add_argument("--option", action="append", default=[], help="of PROGRAM, as in --option=--deqp-vk-device-id=2")
    runs.add_argument("--share", type=int, default=200, help="cases of a process (%(default)s)")
    runs.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), help="at a time (as many as cores)")
    runs.add_argument("--hang", type=float, default=300, metavar="SECONDS", help="of silence (%(default)s)")
    runs.set_defaults(function=run)
    compares = commands.add_parser("compare", help="compare two files of results")
    compares.add_argument("reference")
    compares.add_argument("results")
    compares.add_argument("--depth", type=int, default=5, help="parts of a name that make its group (%(default)s)")
    compares.add_argument("--common", action="store_true", help="compare the cases that both have")
    compares.set_defaults(function=compare)
    arguments = parser.parse_args()
    try:
        return arguments.function(arguments)
    except OSError as error:
        print(f"deqp: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

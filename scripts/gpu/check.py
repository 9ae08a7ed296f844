#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what needs a device on one, from a folder that scripts/gpu_pack.sh made; gpu_check.sh calls it."""

import argparse
import datetime
import os
import pathlib
import queue
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

from graphs import Graphs
from kinds import Demo, Examples, Tests
from machine import Machine, MachineError, cores
from process import Process

KINDS = ["limits", "conformance", "queue", "programs", "commands", "mesh", "random_mesh", "examples", "demo", "graphs"]
GRACE_SECONDS = 60  # for what is under way when the minutes are over
MOST_LINES = 25  # of a failure's output
RULE_GRAPHS = 600  # CONTRIBUTING.md


class Report:
    """Lines for the terminal and for a file."""

    def __init__(self, path, root, device):
        self._file = open(path, "w", encoding="utf-8") if path else None
        self._root, self._device = root, device
        self._lock = threading.Lock()

    def say(self, text):
        with self._lock:
            print(text, flush=True)
            if self._file:
                print(text, file=self._file, flush=True)

    def failure(self, kind, what, why, words, output):
        settings = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("VK_")]
        command = [*settings, self._root.parent / "gpu_check.sh", "--device", self._device, "--run", *words]
        output = list(output)
        some = output[:MOST_LINES // 2] + ["..."] + output[-MOST_LINES // 2:] if len(output) > MOST_LINES else output
        text = "".join(f"\n  | {line}" for line in some)
        self.say(f"FAILED {kind} {what}: {why}{text}\n  reproduce: {shlex.join(map(str, command))}")


class Check:
    def __init__(self, machine, arguments):
        self.machine = machine
        self.processes = arguments.processes
        self._hang_seconds = arguments.hang
        self._start = time.monotonic()
        self._end = self._start + arguments.minutes * 60
        self._files = tempfile.TemporaryDirectory(prefix="gpu_check_")

    def start(self, words, variables=None, cwd=None):
        """The first word may be a program of the folder."""
        if isinstance(words[0], str) and self.machine.program(words[0]).exists():
            words = [self.machine.program(words[0]), *words[1:]]
        # Tests of two processes may write files of one name.
        files = {"TEST_TMPDIR": tempfile.mkdtemp(dir=self._files.name)}
        return Process(words, {**self.machine.environment, **files, **(variables or {})}, self._hang_seconds,
                       self._end + GRACE_SECONDS, cwd)

    def is_over(self):
        return time.monotonic() > self._end

    def seconds(self):
        return time.monotonic() - self._start


def make_kinds(arguments, report):
    options = shlex.split(arguments.graph_options)
    # Random mesh shaders and layouts are others each time as well, unless the environment says which.
    commands = {"MILLRACE_TEST_COMMANDS_SEED": str(arguments.seed)}
    mesh = {"MILLRACE_TEST_MESH_COUNT": "300", "MILLRACE_TEST_MESH_SEED": str(arguments.seed)}
    for variables in commands, mesh:
        variables.update({name: os.environ[name] for name in variables if name in os.environ})
    everything = {
        "limits": Tests("limits", ["test_limits"], report),
        "conformance": Tests("conformance", ["test_conformance"], report),
        # Drivers give queues without graphics other code: caches that the others empty may stay full.
        "queue": Tests("conformance on a queue without graphics", ["test_conformance"], report,
                       variables={"MILLRACE_TEST_QUEUE": "compute"}),
        "programs": Tests("programs", ["test_programs"], report),
        # Those that ask the driver's own extension are no tests of ours on a GPU, and NVIDIA's hangs in some of them, which
        # takes the device from the others.
        "commands": Tests("commands", ["test_generated_commands", "test_commands_shaders"], report,
                          "*/Driver*:*_TheDriversCommands", variables=commands),
        "mesh": Tests("mesh", ["test_mesh_nodes", "test_mesh_shaders"], report, "*/Driver*"),
        # More than every day on lavapipe, which takes longer to compile them.
        "random_mesh": Tests("random mesh shaders", ["test_random_mesh_shaders"], report, variables=mesh),
        "examples": Examples("examples", report),
        "demo": Demo("demo", report),
        "graphs": Graphs("random graphs", report, arguments.seed, arguments.graphs, options),
    }
    return [everything[name] for name in KINDS if name in arguments.only]


def run_all(check, kinds, arguments, report):
    """Threads that each look after one process: first what there is a list of, then random graphs."""
    jobs = queue.SimpleQueue()
    graphs = [kind for kind in kinds if isinstance(kind, Graphs)]
    for kind in kinds:
        if kind not in graphs:
            for job in kind.jobs(check, arguments.filter):
                jobs.put((kind, job))

    def work():
        while not check.is_over():
            try:
                kind, job = jobs.get_nowait()
            except queue.Empty:
                break
            guard(kind, job)
        for kind in graphs:
            guard(kind, lambda: kind.run(check))

    def guard(kind, job):
        """A fault of this script is one of the check."""
        try:
            job()
        except Exception as error:  # pylint: disable=broad-exception-caught
            kind.fail("gpu_check", repr(error), [], [])

    threads = [threading.Thread(target=work, daemon=True) for _ in range(check.processes)]
    for thread in threads:
        thread.start()
    said = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        if check.seconds() - said > 60:
            said = check.seconds()
            report.say(f"... {said:.0f} s: " + ", ".join(f"{kind.name} {kind.ran}" for kind in kinds))


def summarize(machine, kinds, report, commit):
    for kind in kinds:
        report.say(kind.line())
    is_right = all(kind.is_right for kind in kinds)
    graphs = next((kind for kind in kinds if isinstance(kind, Graphs)), None)
    tests = next((kind for kind in kinds if kind.name == "conformance"), None)
    counts = [kind.ran if kind else 0 for kind in (tests, graphs)]
    failed = "; ".join(f"{kind.name}: {' '.join(map(str, kind.failures))}" for kind in kinds if kind.failures)
    row = [datetime.date.today().isoformat(), commit, machine.device, machine.driver, *counts, failed or "none"]
    report.say("for docs/gpu.md: | " + " | ".join(map(str, row)) + " |")
    if not tests or not tests.is_right or not graphs or graphs.ran < RULE_GRAPHS:
        report.say(f"less than CONTRIBUTING.md asks for: all of conformance and {RULE_GRAPHS} random graphs")
    report.say("result: " + ("passed" if is_right else "FAILED"))
    return is_right


def parse(words):
    parser = argparse.ArgumentParser(
        prog="gpu_check.sh", description="Runs conformance, programs, limits, generated commands, examples, the demo and "
        "random graphs on a device. docs/gpu.md explains it.",
        epilog="VK_DRIVER_FILES names the driver where the loader does not find it. Settings of the layer in the "
        "environment are in force.")
    parser.add_argument("minutes", type=float, nargs="?", help="for all of it; random graphs run until they are over")
    parser.add_argument("--device", help="part of its name; else MILLRACE_TEST_DEVICE, else the first that is no processor")
    parser.add_argument("--processes", type=int, default=cores(os.sched_getaffinity(0)), help="as many as cores")
    parser.add_argument("--only", type=lambda text: text.split(","), default=KINDS, metavar="KIND,...",
                        help=f"of {', '.join(KINDS)}")
    parser.add_argument("--filter", default="*", help="of tests and examples, as GoogleTest's")
    parser.add_argument("--seed", type=int, help="of the first random graph, mesh shader and layout of commands; else another each time")
    parser.add_argument("--graphs", type=int, default=sys.maxsize, metavar="N", help="no more than N, also if there is time")
    parser.add_argument("--graph-options", default="", metavar="OPTIONS", help="for random_graphs, as in --graph-options=--long")
    parser.add_argument("--hang", type=float, default=180, metavar="SECONDS", help="without a word after which a program "
                        "counts as hanging (180)")
    parser.add_argument("--no-validation", action="store_true", help="go without the validation layer")
    parser.add_argument("--results", default="gpu_check.txt", metavar="FILE", help="gets all lines as well (%(default)s)")
    parser.add_argument("--run", nargs=argparse.REMAINDER, metavar="PROGRAM ...",
                        help="run one program of the folder as the check does; comes last")
    arguments = parser.parse_args(words)
    if unknown := set(arguments.only) - set(KINDS):
        parser.error(f"no kind {' '.join(sorted(unknown))}")
    if not arguments.run and (arguments.minutes is None or not arguments.minutes > 0):
        parser.error("for how many minutes?")
    if arguments.seed is None:
        arguments.seed = random.randrange(10 ** 6, 10 ** 9)
    return arguments


def run_one(machine, words):
    """A program of the folder, or another, perhaps behind `env` and variables, as failures are shown."""
    first = next((i for i, word in enumerate(words) if word != "env" and "=" not in word), None)
    if first is not None and machine.program(words[first]).exists():
        words = [*words[:first], machine.program(words[first]), *words[first + 1:]]
    return subprocess.run(words, env=machine.environment, check=False).returncode


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    arguments = parse(sys.argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        machine = Machine(root, arguments.device, arguments.no_validation)
    except MachineError as error:
        sys.exit(f"gpu_check: {error}")
    try:
        if arguments.run:
            return run_one(machine, arguments.run)
        commit = (root / "commit").read_text().strip()
        report = Report(arguments.results, root, machine.device)
        report.say(f"commit {commit}, {machine.device}, driver {machine.driver}, {arguments.processes} processes, "
                   f"{arguments.minutes:g} minutes, "
                   f"{'with' if machine.is_validated else 'WITHOUT'} the validation layer"
                   + (f"; libraries of the folder: {' '.join(machine.added_libraries)}" if machine.added_libraries else ""))
        check = Check(machine, arguments)
        kinds = make_kinds(arguments, report)
        run_all(check, kinds, arguments, report)
        return 0 if summarize(machine, kinds, report, commit) else 1
    finally:
        machine.close()


if __name__ == "__main__":
    sys.exit(main())

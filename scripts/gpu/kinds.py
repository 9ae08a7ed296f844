# SPDX-License-Identifier: Apache-2.0
"""The kinds of work that the check does, and what became of them."""

import fnmatch
import re
import sys
import tempfile
import threading

from process import Silent, TimeOver, describe_status


class Kind:
    """What has been run of a kind. Several threads add to it."""

    def __init__(self, name, report):
        self.name = name
        self.passed = self.skipped = 0
        self.failures = []
        self.planned = None  # how many there are, if that is known
        self.seconds = 0.0  # of all processes together
        self._report = report
        self._lock = threading.Lock()

    @property
    def ran(self):
        return self.passed + len(self.failures)

    @property
    def left(self):
        return 0 if self.planned is None else max(self.planned - self.ran - self.skipped, 0)

    @property
    def is_right(self):
        return self.passed > 0 and not self.failures and not self.left

    def add_pass(self, count=1):
        with self._lock:
            self.passed += count

    def add_skip(self, count=1):
        with self._lock:
            self.skipped += count

    def fail(self, what, why, words, output):
        """WORDS reproduce it; the first is a program of the folder."""
        with self._lock:
            self.failures.append(what)
        self._report.failure(self.name, what, why, words, output)

    def line(self):
        parts = [f"{self.ran} ran", f"{len(self.failures)} failed"]
        if self.skipped:
            parts.append(f"{self.skipped} skipped")
        if self.left:
            parts.append(f"{self.left} not run, the time was over")
        if self.failures:
            parts.append("failed: " + " ".join(str(what) for what in self.failures))
        if not self.ran:
            parts.append("nothing ran: counts as a failure")
        return f"{self.name}: {', '.join(parts)}"


class TestRun:
    """What a GoogleTest program says."""

    LINE = re.compile(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] ([^ ,]+)")

    def __init__(self):
        self.test = self.result = None
        self.is_running = False
        self.output = []
        self._results = set()

    def read(self, line):
        """True if a test has ended."""
        self.output.append(line)
        found = self.LINE.match(line)
        if not found:
            return False
        word, test = found.groups()
        if word == "RUN":
            self.test, self.is_running, self.output = test, True, []
        elif self.is_running and test == self.test:
            self.is_running, self.result = False, word
            self._results.add(word)
            return True
        return False

    def why(self, status, left):
        """What is wrong with how it ended besides tests that failed. It says 1 as well if every test was skipped."""
        if status == 0 and not left:
            return None
        if status == 1 and not left and (self._results == {"SKIPPED"} or "FAILED" in self._results):
            return None
        return describe_status(status)


class Tests(Kind):
    """GoogleTest programs."""

    def __init__(self, name, programs, report, unwanted="", variables=None):
        """UNWANTED: patterns of tests that the kind does not have, with colons between them. VARIABLES: of the environment."""
        super().__init__(name, report)
        self._variables = variables or {}
        self._programs = programs
        self._unwanted = unwanted

    def list_tests(self, check, program, pattern):
        process = check.start([program, "--gtest_list_tests", f"--gtest_filter={pattern}"])
        names, suite = [], ""
        for line in process.lines():
            word = line.split("#")[0].strip()
            if line.startswith("  "):
                names.append(suite + word)
            elif word.endswith(".") and " " not in word:
                suite = word
        status = process.status()
        if status != 0:
            self.fail("list of tests", describe_status(status), [program, "--gtest_list_tests"], process.recent)
        return [name for name in names if not (self._unwanted and matches(name, self._unwanted))]

    def jobs(self, check, pattern):
        """Every process makes devices anew, so each has several tests, from all over the list: neighbours are alike."""
        self.planned, jobs = 0, []
        for program in self._programs:
            names = self.list_tests(check, program, pattern)
            self.planned += len(names)
            groups = min(len(names), 2 * check.processes)
            jobs += [lambda program=program, some=names[i::groups]: self.run(check, program, some) for i in range(groups)]
        return jobs

    def run(self, check, program, names):
        """A test that ends the process does not take those behind it along."""
        left = list(names)
        while left and not check.is_over() and self._run_process(check, program, left):
            pass

    def _run_process(self, check, program, left):
        """Takes from LEFT what has been run. False if there is no use in another process."""
        process = check.start([program, f"--gtest_filter={':'.join(left)}"], self._variables)
        run = TestRun()
        try:
            for line in process.lines():
                if run.read(line):
                    left.remove(run.test)
                    self._count(program, run)
            why = run.why(process.status(), left)
        except Silent:
            why = f"hangs: no word for {process.quiet_seconds} s"
        except TimeOver:
            return False
        finally:
            process.kill()
        if not why:
            return True
        if run.is_running:
            left.remove(run.test)
        self._fail(program, run.test if run.is_running else "begin and end of the program", why, run.output)
        return run.test is not None

    def _count(self, program, run):
        if run.result == "OK":
            self.add_pass()
        elif run.result == "SKIPPED":
            self.add_skip()
        else:
            self._fail(program, run.test, "failed", run.output)

    def _fail(self, program, test, why, output):
        self.fail(test, why, with_variables(self._variables, [program, f"--gtest_filter={test}"]), output)


def with_variables(variables, words):
    """A command that runs WORDS with them."""
    return [*(["env", *(f"{key}={value}" for key, value in variables.items())] if variables else []), *words]


def matches(name, pattern):
    """As GoogleTest's filter."""
    wanted, _, unwanted = pattern.partition("-")
    return any(fnmatch.fnmatchcase(name, part) for part in (wanted or "*").split(":")) and not any(
        fnmatch.fnmatchcase(name, part) for part in unwanted.split(":"))


class Examples(Kind):
    """Examples with a graph, compared with what Python computes."""

    def jobs(self, check, pattern):
        graphs = (check.machine.root / "examples").glob("*/graph.json")
        names = sorted(path.parent.name for path in graphs if matches(path.parent.name, pattern))
        self.planned = len(names)
        return [lambda name=name: self.run(check, name) for name in names]

    def run(self, check, name):
        root = check.machine.root
        run_program(self, check, name, [sys.executable, root / "tests/run_example.py", root / "bin/millrace", root, name])


class Demo(Kind):
    """The demo, which checks every pixel: with as much scratch memory as it wants, and with little."""

    VARIANTS = {"as_it_is": [], "little_memory": ["--scratch-mib", "1"]}

    def jobs(self, check, _pattern):
        self.planned = len(self.VARIANTS)
        return [lambda name=name: self.run(check, name) for name in self.VARIANTS]

    def run(self, check, name):
        words = ["mandelbrot", "--device", check.machine.device, "--size", "1024", "--repeat", "1", "--output", "none"]
        run_program(self, check, name, words + self.VARIANTS[name],
                    {"VK_INSTANCE_LAYERS": "VK_LAYER_MILLRACE_emulation"})


def run_program(kind, check, name, words, variables=None):
    """A program whose status says whether all is right."""
    with tempfile.TemporaryDirectory() as folder:
        process = check.start(words, variables, cwd=folder)
        try:
            output = list(process.lines())
            status = process.status()
            why = None if status == 0 else describe_status(status)
        except Silent:
            output, why = list(process.recent), f"hangs: no word for {process.quiet_seconds} s"
        except TimeOver:
            return
        finally:
            process.kill()
    if why:
        kind.fail(name, why, with_variables(variables or {}, words), output)
    else:
        kind.add_pass()

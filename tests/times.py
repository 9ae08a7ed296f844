#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ctest and says how long it took, and which tests took longest.

Usage: times.py RESULTS COMMAND...
       times.py --self-test

RESULTS is what the command writes by --output-junit. It ends with the status of the command. Processor time is that of all
tests together: on a machine that does other things as well, that is the number to compare.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

MOST_TESTS = 10


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def report(path, seconds, processor_seconds):
    """Two lines, the second with the tests that took longest."""
    tests = [(float(case.get("time") or 0), case.get("name"))
             for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase")]
    tests.sort(key=lambda test: (-test[0], test[1]))
    longest = ", ".join(f"{name} {round(taken)} s" for taken, name in tests[:MOST_TESTS])
    return (f"{len(tests)} tests took {duration(seconds)}, and {duration(processor_seconds)} of processors\n"
            f"longest, beside others: {longest or 'none'}")


def run(results, command):
    begun = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    seconds = time.monotonic() - begun
    if os.path.exists(results):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(report(results, seconds, used.ru_utime + used.ru_stime))
    return status


def self_test():
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as results:
        cases = "".join(f'<testcase name="t{number}" time="{number}.4"/>' for number in range(12))
        results.write(f"<testsuite>{cases}</testsuite>")
        results.flush()
        first, second = report(results.name, 59.7, 3661).splitlines()
        assert first == "12 tests took 1 min 0 s, and 61 min 1 s of processors", first
        assert second.startswith("longest, beside others: t11 11 s, t10 10 s, ") and second.endswith("t2 2 s"), second
        assert run(results.name, [sys.executable, "-c", "import sys; sys.exit(3)"]) == 3
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as results:
        results.write("<testsuite/>")
        results.flush()
        assert report(results.name, 7, 0).endswith("none")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    return run(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())

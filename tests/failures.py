#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints why the tests of a ctest run failed, in few lines, so that they are at the end of what the run printed.

Usage: failures.py RESULTS
       failures.py --self-test

RESULTS is what `ctest --output-junit` wrote. Of a program of GoogleTest come the failed expectations and the names of the
tests that failed, and the one that was running if none says that it failed; of any other the end of its output.
"""
import re
import sys
import tempfile
import xml.etree.ElementTree

MOST_LINES = 40
EXPECTATION = re.compile(r"^(\S+:\d+: Failure$|terminate|SUMMARY: )")
FAILED = re.compile(r"^\[  FAILED  \] ")
STARTED = re.compile(r"^\[ RUN      \] (\S+)$")
ENDED = re.compile(r"^\[\s+(OK|FAILED|SKIPPED)\s+\] ")
LINES_OF_AN_EXPECTATION = 8


def reasons(output):
    """The lines of a failed program's output that say why."""
    lines = output.splitlines()
    found, running, until = [], "", 0
    for number, line in enumerate(lines):
        started = STARTED.match(line)
        if started:
            running = started.group(1)
        elif ENDED.match(line):
            running, until = "", 0
        elif EXPECTATION.match(line):
            until = number + LINES_OF_AN_EXPECTATION
        if number < until or FAILED.match(line):
            found.append(line)
    if running:
        found += lines[-LINES_OF_AN_EXPECTATION:] + [f"was running: {running}"]
    return (found or lines)[-MOST_LINES:]


def print_failures(path):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        failure = case.find("failure")
        if failure is None:
            continue
        print(f"failed: {case.get('name')} {failure.get('message') or ''}".rstrip())
        for line in reasons(case.findtext("system-out") or ""):
            print(f"  {line}")


def self_test():
    """A failed expectation, a crash, and a program that is none of GoogleTest."""
    expectation = ["[ RUN      ] S.A", "a.cpp:3: Failure", "Expected: x", "[  FAILED  ] S.A (1 ms)", "[ RUN      ] S.B", "said",
                   "[       OK ] S.B (1 ms)"]
    assert reasons("\n".join(expectation)) == expectation[1:4], reasons("\n".join(expectation))
    crash = reasons("[ RUN      ] S.A\n[       OK ] S.A (1 ms)\n[ RUN      ] S.B\nlast words\n")
    assert crash[-2:] == ["last words", "was running: S.B"], crash
    assert reasons("\n".join(str(n) for n in range(100))) == [str(n) for n in range(60, 100)]
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as results:
        results.write('<testsuite><testcase name="a"/><testcase name="b"><failure message=""/><system-out>why</system-out>'
                      "</testcase></testsuite>")
        results.flush()
        print_failures(results.name)


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        print_failures(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())

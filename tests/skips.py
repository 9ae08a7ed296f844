#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a run of ctest skipped with a list of what may be skipped, so that nothing is skipped unseen.

Usage: skips.py RESULTS EXPECTED [--complete]
       skips.py --self-test

RESULTS is what `ctest --output-junit` wrote, with the whole output of tests that passed. Tests inside a program of
GoogleTest that skip themselves count by their own names, as test/Suite.Name, and so do those of Python's unittest.
EXPECTED has a line for each: its name, then the reason; an empty line or one that begins with # says nothing. "unless
VARIABLE" behind the name: it is not skipped where that variable of the environment is set. "long" or "sampled" behind the
name: a complete run need not have it, as long tests run by themselves, and of others each commit has a part (sample.sh).

What is skipped and not on the list fails, as does what is on the list and ran, and if the run was a complete one, what
is on the list and no test at all. Where MILLRACE_TEST_DEVICE names another
device than the list is for, what is skipped is printed and fails nothing.
"""
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

GOOGLE_SKIPPED = re.compile(r"^\[  SKIPPED \] ([\w/]+\.[\w/]+)(?: \(\d+ ms\))?$", re.MULTILINE)
GOOGLE_RAN = re.compile(r"^\[       OK \] ([\w/]+\.[\w/]+) \(", re.MULTILINE)
UNITTEST_SKIPPED = re.compile(r"^(\w+) \(([\w.]+)\).* \.\.\. skipped ", re.MULTILINE)
UNITTEST_COUNT = re.compile(r"^OK \(skipped=(\d+)\)$", re.MULTILINE)


class Results:
    """Names of what a run skipped, and of what it ran to the end."""

    def __init__(self, path):
        self.skipped = set()
        self.ran = set()
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            self._read(case.get("name"), case)

    def _read(self, name, case):
        output = case.findtext("system-out") or ""
        if case.find("skipped") is not None:
            self.skipped.add(name)
            return
        self.ran.add(name)
        inside = {f"{name}/{test}" for test in GOOGLE_SKIPPED.findall(output)}
        unit = {f"{name}/{place}" if place.endswith(f".{test}") else f"{name}/{place}.{test}"
                for test, place in UNITTEST_SKIPPED.findall(output)}
        if UNITTEST_COUNT.search(output) and not unit:
            unit = {f"{name}/(tests of unittest; run it with -v)"}
        self.skipped |= inside | unit
        self.ran |= {f"{name}/{test}" for test in GOOGLE_RAN.findall(output)}


def read_expected(path):
    expected = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[1:2] == ["unless"] and os.environ.get(words[2]):
            continue
        expected[words[0]] = line
    return expected


def compare(results, expected, is_complete=False):
    """What is wrong, a line for each."""
    wrong = [f"skipped, which nobody expects: {name}" for name in sorted(results.skipped - expected.keys())]
    wrong += [f"expected to be skipped, but ran: {name}" for name in sorted(results.ran & expected.keys())]
    if is_complete:
        wanted = {name for name, line in expected.items() if line.split()[1:2] not in (["long"], ["sampled"])}
        absent = sorted(wanted - results.skipped - results.ran)
        wrong += [f"expected to be skipped, but no such test was run: {name}" for name in absent]
    return wrong


def self_test():
    """Each kind of difference is told, and nothing else is."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "results.xml").write_text(
            '<testsuite><testcase name="a"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
            '<testcase name="b"><system-out>[       OK ] S.Ran (3 ms)\n[  SKIPPED ] S.Not (0 ms)\n[  SKIPPED ] 1 test, '
            'listed below:\n[  SKIPPED ] S.Not\n</system-out></testcase>'
            '<testcase name="c"><system-out>test_x (m.Case.test_x) ... skipped \'why\'\nOK (skipped=1)\n</system-out>'
            '</testcase><testcase name="d"><system-out>OK (skipped=2)\n</system-out></testcase></testsuite>',
            encoding="utf-8")
        results = Results(folder / "results.xml")
        assert results.skipped == {"a", "b/S.Not", "c/m.Case.test_x", "d/(tests of unittest; run it with -v)"}, results.skipped
        listed = folder / "expected.txt"
        listed.write_text("# what\n\na reason\nb/S.Not unless NOT_SET_ANYWHERE reason\nc/m.Case.test_x\n"
                          "d/(tests  of\nfiltered/Out.Test\n", encoding="utf-8")
        expected = read_expected(listed)
        assert len(compare(results, expected)) == 1, compare(results, expected)
        assert len(compare(results, expected, is_complete=True)) == 3
        listed.write_text("a reason\nd/Of.Long long reason\nd/Of.Part sampled reason\nb/S.Not no\nc/m.Case.test_x no\n",
                          encoding="utf-8")
        assert len(compare(results, read_expected(listed), is_complete=True)) == 1
        listed.write_text("a\nb\nb/S.Ran\n", encoding="utf-8")
        wrong = compare(results, read_expected(listed))
        assert len(wrong) == 5, wrong
        os.environ["MILLRACE_SKIPS_SELF_TEST"] = "1"
        listed.write_text("a unless MILLRACE_SKIPS_SELF_TEST\n", encoding="utf-8")
        assert not read_expected(listed)
    print("skips.py tells both kinds of differences")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    results = Results(sys.argv[1])
    expected = read_expected(pathlib.Path(sys.argv[2]))
    if os.environ.get("MILLRACE_TEST_DEVICE"):
        for name in sorted(results.skipped):
            print(f"skipped: {name}")
        return 0
    wrong = compare(results, expected, is_complete="--complete" in sys.argv[3:])
    for line in wrong:
        print(line)
    print(f"{len(results.skipped)} skipped, {len(wrong)} of all against {sys.argv[2]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

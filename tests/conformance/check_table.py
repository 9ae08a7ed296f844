#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every rule in the tables of docs/conformance.md names a test, and that each named test exists.

A row is "| section | rule | tests |". Tests are written `executable: Suite.Name`; instead of one, a row may say
"unsupported" with the reason.

Of Khronos's tests the table has counts by group: "| `dEQP-VK.group` | 3, 2, 1 | ... |". A group has the sum of the groups
below it, and, in its first two columns, of its parts in deqp.md beside the table.

Usage: check_table.py TABLE EXECUTABLE..., or check_table.py --self-test
"""
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

ROW = re.compile(r"^\| *(\d+) *\|(.*)\|([^|]*)\|$")
TEST = re.compile(r"`(\w+): (\w+\.\w+)`")
COUNTS = re.compile(r"^\| `(dEQP-VK[\w.]+)` \|(.*)\|$", re.MULTILINE)
PARTS = re.compile(r"^\| `(dEQP-VK[\w.]+)` \|" + r" (\d+) \|" * 6 + "$", re.MULTILINE)
REASON = re.compile(r"\bunsupported\b\W+(?:\w+\W+){2,}")
# Every section with rules; there is nothing to test in sections 7 and 9 and later.
SECTIONS = {1, 2, 3, 4, 5, 6, 8}


def tests_of(executable):
    """The tests of a GoogleTest program as Suite.Name, without the names of parameters."""
    listing = subprocess.run([executable, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    tests = set()
    suite = None
    for line in listing.splitlines():
        name = line.split("#")[0].strip()
        if re.match(r"^\S+\.$", name):
            suite = name[:-1].split("/")
            # "Instance/Suite." for parameters, "Suite/0." for types.
            suite = suite[0] if len(suite) == 1 or suite[1].isdigit() else suite[1]
        elif line.startswith("  ") and suite:
            tests.add(f"{suite}.{name.split('/')[0]}")
    return tests


def problems(table, executables):
    """Yields one line of text for each row that proves nothing, each test that is missing, each section left out."""
    known = {pathlib.Path(executable).name: tests_of(executable) for executable in executables}
    sections = set()
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        row = ROW.match(line)
        if not row:
            if re.match(r"^\| *\d", line):
                yield f"line {number}: not a row of three columns"
            continue
        sections.add(int(row.group(1)))
        named = TEST.findall(row.group(3))
        if not named and not REASON.search(row.group(3)):
            yield f"line {number}: neither a test nor \"unsupported\" with a reason: {row.group(2).strip()}"
        if len(named) != row.group(3).count("`") // 2:
            yield f"line {number}: a test is not written as `executable: Suite.Name`"
        for executable, test in named:
            if executable not in known:
                yield f"line {number}: no such executable: {executable}"
            elif test not in known[executable]:
                yield f"line {number}: {executable} has no test {test}"
    for section in sorted(SECTIONS - sections):
        yield f"section {section} has no rules"


def counts_of(table):
    """By group, its columns: three numbers each, or none where there is nothing."""
    for group, columns in COUNTS.findall(table.read_text(encoding="utf-8")):
        cells = [column.strip() for column in columns.split("|")]
        yield group, [list(map(int, cell.split(","))) if cell else None for cell in cells]


def count_problems(table):
    """Yields one line of text for each column of a group that is not the sum of its parts."""
    groups = dict(counts_of(table))
    parts = PARTS.findall((table.parent / "deqp.md").read_text(encoding="utf-8"))
    detailed = [(name, [list(map(int, numbers[:3])), list(map(int, numbers[3:]))]) for name, *numbers in parts]
    for group, columns in groups.items():
        inner = [[counts for name, counts in of if name.startswith(group + ".")] for of in (groups.items(), detailed)]
        for at, own in enumerate(columns):
            some = [counts[at] for counts in inner[0] or inner[1] if at < len(counts)]
            if some and None not in some and [sum(numbers) for numbers in zip(*some)] != own:
                yield f"{group}, column {at + 1}: not the sum of its parts"


def count_rows(table):
    return sum(bool(ROW.match(line)) for line in table.read_text(encoding="utf-8").splitlines())


def detect_counts(table):
    """Sums that are wrong, beside ones that are right or that nobody can know."""
    (table.parent / "deqp.md").write_text("| `dEQP-VK.a.b.c` | 1 | 2 | 0 | 3 | 0 | 0 |\n"
                                          "| `dEQP-VK.a.b.d` | 1 | 0 | 0 | 1 | 0 | 0 |\n", encoding="utf-8")
    rows = ("| `dEQP-VK.a.b` | 2, 2, 0 | {}, 0, 0 | 1, 1, 1 |\n| `dEQP-VK.a.e` | 0, 0, 1 | 1, 0, 0 | |\n"
            "| `dEQP-VK.a` | 2, {}, 1 | 5, 0, 0 | 7, 7, 7 |\n")
    for first, second, expected in ((4, 2, []), (5, 2, ["a.b, column 2", "a, column 2"]), (4, 3, ["a, column 1"])):
        table.write_text(rows.format(first, second), encoding="utf-8")
        found = [problem.split(":")[0] for problem in count_problems(table)]
        assert found == [f"dEQP-VK.{name}" for name in expected], found


def self_test():
    """A table with one mistake of each kind must be refused."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        program = root / "some_tests"
        program.write_text("#!/bin/sh\necho 'Suite.'\necho '  One'\necho 'All/Many.'\necho '  Two/0  # parameter'\n",
                           encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        table = root / "table.md"
        good = "".join(f"| {section} | a rule | `some_tests: Suite.One`, `some_tests: Many.Two` |\n"
                       for section in sorted(SECTIONS))
        table.write_text(good + "| 5 | another | unsupported: there is no such device |\n", encoding="utf-8")
        assert not list(problems(table, [program])), list(problems(table, [program]))
        for bad in ("| 4 | a rule | `some_tests: Suite.Three` |", "| 4 | a rule | `other_tests: Suite.One` |",
                    "| 4 | a rule | |", "| 4 | a rule | unsupported |", "| 4 | a rule |",
                    "| 4 | a rule | `some_tests: Suite.One`, `Suite.One` |"):
            table.write_text(good + bad + "\n", encoding="utf-8")
            found = list(problems(table, [program]))
            assert len(found) == 1, (bad, found)
        table.write_text(good.splitlines()[0] + "\n", encoding="utf-8")
        assert len(list(problems(table, [program]))) == len(SECTIONS) - 1
        detect_counts(table)
    print("check_table.py detects missing tests")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    table = pathlib.Path(sys.argv[1])
    found = [*problems(table, sys.argv[2:]), *count_problems(table)]
    for line in found:
        print(f"{table.name}, {line}")
    rows = count_rows(table)
    print(f"{rows} rules checked, {len(found)} problems")
    return 1 if found or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

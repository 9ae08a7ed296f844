#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/deqp.py with a program that stands for deqp-vk. Usage: deqp_test.py SCRIPT"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1) if len(sys.argv) > 1 else ""
# A case's name says what becomes of it. With the layer a case "lost" fails.
PROGRAM = """#!/usr/bin/env python3
import os, sys, time
path = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--deqp-caselist-file="))
for case in open(path).read().split():
    print(f"Test case '{case}'..", flush=True)
    what = case.rsplit(".", 1)[1]
    if what.startswith("crash"):
        os.abort()
    if what.startswith("hang"):
        time.sleep(60)
    if what.startswith("setting"):
        print(f"  Pass ({os.environ.get('VK_MILLRACE_EMULATION_SOME_THING')})")
    elif what.startswith("layers"):
        print(f"  Pass ({os.environ.get('VK_INSTANCE_LAYERS')} of {os.environ.get('VK_ADD_LAYER_PATH')})")
    elif what.startswith("missing") or what == "lost" and "VK_INSTANCE_LAYERS" in os.environ:
        print("  NotSupported (a feature)" if what.startswith("missing") else "  Fail (wrong)")
    else:
        print("  Pass (Pass)")
"""


class Deqp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="millrace-deqp-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "deqp-vk"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_cases(self, name, cases, *options):
        names = self.folder / "cases.txt"
        names.write_text("\n".join(cases) + "\n")
        results = self.folder / name
        subprocess.run([sys.executable, SCRIPT, "run", self.program, names, results, *options], check=True,
                       capture_output=True)
        return [line.split("\t") for line in results.read_text().splitlines()]

    def compare(self, reference, results, *options):
        return subprocess.run([sys.executable, SCRIPT, "compare", self.folder / reference, self.folder / results, "--depth", "1",
                               *options], capture_output=True, text=True, check=False)

    def test_a_crash_costs_one_case(self):
        found = self.run_cases("r", ["a.one", "a.crash", "a.two", "a.hang", "a.three", "a.missing"], "--hang", "3",
                               "--processes", "1")
        self.assertEqual([row[:2] for row in found],
                         [["a.one", "Pass"], ["a.crash", "Crash"], ["a.two", "Pass"], ["a.hang", "Timeout"],
                          ["a.three", "Pass"], ["a.missing", "NotSupported"]])

    def test_a_layer_may_be_above_it(self):
        (row,) = self.run_cases("r", ["a.layers"], "--layer", "/own", "--asking", "/asking")
        self.assertEqual(row[2], "VK_LAYER_MILLRACE_test_asking:VK_LAYER_MILLRACE_emulation of /asking:/own")

    def test_settings_reach_the_layer(self):
        self.assertEqual(self.run_cases("r", ["a.setting"], "--setting", "some_thing=7"), [["a.setting", "Pass", "7"]])

    def test_what_is_lost_fails(self):
        cases = ["a.one", "a.lost", "b.missing"]
        self.run_cases("native", cases)
        self.run_cases("layer", cases, "--layer", self.folder)
        self.assertEqual(self.compare("native", "native").returncode, 0)
        result = self.compare("native", "layer")
        self.assertEqual(result.returncode, 1)
        self.assertIn("| a | 2 | 0 | 0 | 1 | 0 | 1 |\n| b | 0 | 1 | 0 | 0 | 1 | 0 |\n", result.stdout)
        self.assertIn("failed here alone: 1\n  a.lost | Fail | wrong\n", result.stdout)

    def test_files_that_are_missing_are_named(self):
        for arguments in [["run", self.folder / "none", self.folder / "nothing", self.folder / "r"],
                          ["compare", self.folder / "nothing", self.folder / "nothing"]]:
            result = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn("nothing: No such file or directory", result.stderr)

    def test_other_cases_are_no_comparison(self):
        self.run_cases("few", ["a.one"])
        self.run_cases("more", ["a.one", "a.two"])
        result = self.compare("few", "more")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cases that one of the files lacks: 1, as a.two", result.stdout)

    def test_common_cases_of_runs_that_ended_early_are_compared(self):
        self.run_cases("native", ["a.one", "a.lost", "a.two"])
        self.run_cases("layer", ["a.lost", "a.two", "a.three"], "--layer", self.folder)
        result = self.compare("native", "layer", "--common")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cases that one of the files lacks: 2, as a.one", result.stdout)
        self.assertIn("| a | 2 | 0 | 0 | 1 | 0 | 1 |\n", result.stdout)
        self.assertIn("failed here alone: 1\n  a.lost | Fail | wrong\n", result.stdout)


if __name__ == "__main__":
    unittest.main()

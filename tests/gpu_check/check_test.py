#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/gpu/check.py makes of programs that pass, fail, hang and crash. No device is needed: the programs are
stand-ins."""

import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCES / "scripts/gpu"))
from machine import cores  # pylint: disable=wrong-import-position
from seeds import Seeds, device_kind  # pylint: disable=wrong-import-position

FAKE = pathlib.Path(__file__).with_name("fake_program.py")
PASSES = {"one": "pass", "two": "pass"}
TESTS = ["test_conformance", "test_programs", "test_limits", "test_generated_commands", "test_commands_shaders",
         "test_mesh_nodes", "test_mesh_shaders", "test_random_mesh_shaders"]


class SeedsOfProcesses(unittest.TestCase):
    def test_processesInTurn_AllSeedsOnce_AndFewDevicesEach(self):
        seeds = Seeds(1000, 640)
        taken = [[seeds.take(None)] for _ in range(16)]
        for process in itertools.cycle(taken):
            if (seed := seeds.take(process[-1])) is None:
                break
            process.append(seed)
        numbers = [seed for process in taken for seed in process]
        self.assertEqual(sorted(numbers), list(range(1000, 1640)))
        kinds = [len({device_kind(seed) for seed in process}) for process in taken]
        self.assertLessEqual(max(kinds), 3, kinds)
        self.assertLessEqual(sum(kinds), 36, kinds)  # in order, all six in each of 16

    def test_noMoreThanAsked_AndNoneOfNone(self):
        seeds = Seeds(5, 2)
        self.assertEqual({seeds.take(None), seeds.take(None)}, {5, 6})
        self.assertIsNone(seeds.take(5))
        self.assertIsNone(Seeds(5, 0).take(None))


class CoresOfAMachine(unittest.TestCase):
    def test_twoProcessorsOfACore_CountOnce_AndWithoutAnswersEach(self):
        with tempfile.TemporaryDirectory() as folder:
            for processor in range(4):
                place = pathlib.Path(folder) / f"cpu{processor}" / "topology"
                place.mkdir(parents=True)
                (place / "thread_siblings_list").write_text(f"{processor % 2},{processor % 2 + 2}\n")
            self.assertEqual(cores({0, 1, 2, 3}, pathlib.Path(folder)), 2)
            self.assertEqual(cores({0, 2, 3}, pathlib.Path(folder)), 2)
            self.assertEqual(cores({0, 7, 8}, pathlib.Path(folder)), 3)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = pathlib.Path(folder.name) / "gpu_check.sh"
        self.folder = self.script.with_name("contents")
        for name in "bin", "lib", "layer", "shaders", "gpu", "tests", "examples/first", "examples/second":
            (self.folder / name).mkdir(parents=True)
        for path in (SOURCES / "scripts/gpu").glob("*.py"):
            shutil.copy(path, self.folder / "gpu")
        shutil.copy(SOURCES / "scripts/gpu_check.sh", self.script)
        (self.folder / "commit").write_text("abc123\n")
        for name in *TESTS, "random_graphs", "millrace", "mandelbrot":
            shutil.copy(FAKE, self.folder / "bin" / name)
        for name in "first", "second":
            (self.folder / "examples" / name / "graph.json").write_text("{}")
        self.example("sys.exit(0)")

    def example(self, code):
        (self.folder / "tests/run_example.py").write_text(f"import os, sys\nNAME = sys.argv[3]\n{code}\n")

    def check(self, *options, minutes="10", **programs):
        """All programs pass but for what PROGRAMS says. Returns status and lines."""
        deeds = {**dict.fromkeys(TESTS, PASSES), **programs}
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("VK_", "MILLRACE_", "FAKE_"))}
        environment |= {f"FAKE_{name.upper()}": json.dumps(value) for name, value in deeds.items()}
        self.results = self.folder / "results.txt"
        result = subprocess.run([self.script, *([minutes] if minutes else []), "--processes", "2",
                                 "--graphs", "40", "--results", self.results, *options], capture_output=True, text=True, check=False,
                                env=environment, timeout=3600)
        return result.returncode, result.stdout + result.stderr

    def line(self, output, kind):
        return re.search(rf"^{kind}: (.*)$", output, re.M).group(1)

    def test_everything_passes_StatusZero_AndALineForEachKind(self):
        status, output = self.check("--seed", "100")
        self.assertEqual(status, 0, output)
        for kind in "conformance", "programs", "limits", "examples":
            self.assertTrue(self.line(output, kind).startswith("2 ran, 0 failed"), output)
        self.assertEqual(self.line(output, "commands"), "4 ran, 0 failed")
        self.assertEqual(self.line(output, "mesh"), "4 ran, 0 failed")
        self.assertEqual(self.line(output, "random mesh shaders"), "2 ran, 0 failed")
        self.assertTrue(self.line(output, "demo").startswith("2 ran, 0 failed"))
        self.assertRegex(self.line(output, "random graphs"), r"40 ran, 0 failed, seeds 100 to 139, \d+\.\d s each")
        self.assertIn("commit abc123, a card, driver fast 2, 2 processes", output)
        self.assertIn("result: passed", output)
        self.assertIn("less than CONTRIBUTING.md asks for", output)

    def test_queueWithoutGraphics_RunsConformanceAgain(self):
        status, output = self.check("--only", "queue", test_conformance={"one": "pass", "two": "fail"})
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "conformance on a queue without graphics"),
                         "2 ran, 1 failed, failed: Suite.two")
        command = re.search(r"reproduce: (.* --run env MILLRACE_TEST_QUEUE=compute test_conformance .*)\n", output).group(1)
        again = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False,
                               env={**os.environ, "FAKE_TEST_CONFORMANCE": json.dumps({"one": "pass", "two": "fail"})})
        self.assertIn("[  FAILED  ] Suite.two", again.stdout + again.stderr)

    def test_randomMeshShaders_AreMoreThanEveryDay(self):
        status, output = self.check("--only", "random_mesh", "--seed", "7000",
                                    test_random_mesh_shaders={"one": "300 shaders", "two": "fail"})
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "random mesh shaders"), "2 ran, 1 failed, failed: Suite.two")
        self.assertRegex(output, "reproduce: .* --run env MILLRACE_TEST_MESH_COUNT=300 MILLRACE_TEST_MESH_SEED=7000 "
                                 "test_random_mesh_shaders .*Suite.two")

    def test_generatedCommands_HaveTheSeed(self):
        _, output = self.check("--only", "commands", "--seed", "7000", test_generated_commands={"one": "fail"},
                               test_commands_shaders={"one": "pass"})
        self.assertRegex(output, "reproduce: .* --run env MILLRACE_TEST_COMMANDS_SEED=7000 test_generated_commands .*Suite.one")

    def test_results_AreInTheFileAsWell(self):
        _, output = self.check()
        self.assertEqual(self.results.read_text(), output)

    def test_testThatFails_IsNamedWithTheCommand(self):
        status, output = self.check(test_programs={"one": "pass", "two": "fail", "three": "pass"})
        self.assertEqual(status, 1)
        self.assertTrue(self.line(output, "programs").startswith("3 ran, 1 failed, failed: Suite.two"), output)
        self.assertIn("FAILED programs Suite.two: failed\n  | what two says", output)
        self.assertRegex(output, r"reproduce: .*/gpu_check.sh --device 'a card' --run test_programs "
                                 r"'?--gtest_filter=Suite.two'?\n")
        self.assertTrue(self.line(output, "conformance").startswith("2 ran, 0 failed"))

    def test_commands_AreTwoProgramsWithoutWhatAsksTheDriver(self):
        status, output = self.check("--only", "commands", test_generated_commands={"one/Driver": "fail", "one/Layer": "pass"},
                                    test_commands_shaders={"one": "fail", "two": "pass"})
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "commands"), "3 ran, 1 failed, failed: Suite.one")
        self.assertRegex(output, r"reproduce: .* test_commands_shaders '?--gtest_filter=Suite.one'?\n")

    def test_filesOfOneName_AreNotThoseOfOtherProcesses(self):
        status, output = self.check("--only", "commands", test_generated_commands={"one": "write"},
                                    test_commands_shaders={"one": "write"})
        self.assertEqual(status, 0, output)

    def test_testThatCrashes_TheOthersOfItsProcessStillRun(self):
        tests = {f"t{i}": "crash" if i == 4 else "pass" for i in range(24)}
        status, output = self.check(test_conformance=tests)
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "conformance"), "24 ran, 1 failed, failed: Suite.t4")
        self.assertIn("FAILED conformance Suite.t4: ended by SIGABRT", output)

    def test_testThatHangs_IsAFailure_TheOthersOfItsProcessStillRun(self):
        tests = {f"t{i}": "hang" if i == 4 else "pass" for i in range(24)}
        status, output = self.check("--hang", "5", "--only", "limits", test_limits=tests)
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "limits"), "24 ran, 1 failed, failed: Suite.t4")
        self.assertIn("FAILED limits Suite.t4: hangs", output)

    def test_skipped_IsCountedAndNoFailure(self):
        status, output = self.check("--only", "limits", test_limits={"one": "pass", "two": "skip"})
        self.assertEqual(status, 0, output)
        self.assertEqual(self.line(output, "limits"), "1 ran, 0 failed, 1 skipped")

    def test_everythingSkipped_NothingRanIsAFailure(self):
        status, output = self.check("--only", "limits", test_limits={"one": "skip"})
        self.assertEqual(status, 1)
        self.assertIn("nothing ran", self.line(output, "limits"))

    def test_noTests_NothingRanIsAFailure(self):
        status, output = self.check("--only", "limits,programs", test_limits={})
        self.assertEqual(status, 1)
        self.assertIn("nothing ran", self.line(output, "limits"))

    def test_endOfTheProgramThatFails_IsAFailure(self):
        status, output = self.check("--only", "limits", test_limits={"one": "pass", "end": "fail"})
        self.assertEqual(status, 1)
        self.assertIn("FAILED limits begin and end of the program: ended with status 1", output)

    def test_programThatDoesNotStart_IsAFailure(self):
        (self.folder / "bin/test_limits").write_text("#!/bin/sh\necho cannot load a library; exit 127\n")
        status, output = self.check("--only", "limits")
        self.assertEqual(status, 1)
        self.assertIn("cannot load a library", output)

    def test_tooFewMinutes_WhatHasNotRunIsAFailure(self):
        status, output = self.check("--only", "limits", minutes="0.0001")
        self.assertEqual(status, 1)
        self.assertIn("2 not run, the time was over", self.line(output, "limits"))

    def test_graphThatFails_IsNamedWithTheCommand_OthersGoOn(self):
        status, output = self.check("--only", "graphs", "--seed", "7", "--graph-options=--long",
                                    random_graphs={"9": "fail"})
        self.assertEqual(status, 1)
        self.assertRegex(self.line(output, "random graphs"), r"40 ran, 1 failed, failed: 9, seeds 7 to 46")
        self.assertRegex(output, r"FAILED random graphs 9: failed\n(  \| .*\n)*  \|     12 of 256 sums differ\n"
                                 r"  reproduce: .* --run random_graphs --long --count 1 --seed 9\n")

    def test_failure_IsAsTheDocumentShows(self):
        _, output = self.check("--only", "graphs", "--seed", "7", random_graphs={"9": "fail"})
        shown = FAKE.with_name("failure.txt").read_text()  # which is in docs/gpu.md
        self.assertIn(shown, output.replace(str(self.script.parent), "FOLDER"))

    def test_graphsThatCrashAndHang_AreFailures_OthersGoOn(self):
        status, output = self.check("--only", "graphs", "--seed", "7", "--hang", "5",
                                    random_graphs={"9": "crash", "11": "hang"})
        self.assertEqual(status, 1)
        self.assertRegex(self.line(output, "random graphs"), r"40 ran, 2 failed, failed: 9 11, seeds 7 to 46")
        self.assertIn("FAILED random graphs 9: ended by SIGABRT", output)
        self.assertIn("FAILED random graphs 11: hangs", output)

    def test_secondsByPart_AreThoseOfAllProcessesForAGraph(self):
        _, output = self.check("--only", "graphs")
        self.assertIn("s each, of which oracle 0.10 (processor 0.05); devices 0.02 (processor 0.04)",
                      self.line(output, "random graphs"))

    def test_allGraphsFail_EndsEarly(self):
        status, output = self.check("--only", "graphs", "--graphs", "1000", "--seed", "7", random_graphs={"all": "fail"})
        self.assertEqual(status, 1)
        self.assertRegex(self.line(output, "random graphs"), r"5\d ran, 5\d failed")

    def test_minutesAreOver_NoFurtherGraphs(self):
        status, output = self.check("--only", "graphs", "--graphs", "1000000", minutes="0.1")
        self.assertEqual(status, 0, output)
        self.assertRegex(self.line(output, "random graphs"), r"\d+ ran, 0 failed, (\d+ of the )?seeds")

    def test_endOfTheGraphsProcessThatFails_IsAFailure(self):
        status, output = self.check("--only", "graphs", random_graphs={"end": "fail"})
        self.assertEqual(status, 1)
        self.assertIn("when the process ended: ended with status 1", output)

    def test_exampleAndDemoThatFail_AreNamed(self):
        self.example("print('no picture'); sys.exit(NAME == 'second')")
        (self.folder / "bin/mandelbrot").write_text("#!/bin/sh\necho wrong pixels; exit 1\n")
        status, output = self.check("--only", "examples,demo")
        self.assertEqual(status, 1)
        self.assertEqual(self.line(output, "examples"), "2 ran, 1 failed, failed: second")
        self.assertIn("  | no picture", output)
        self.assertTrue(self.line(output, "demo").startswith("2 ran, 2 failed"))
        self.assertIn("  | wrong pixels", output)

    def test_filter_ChoosesTestsAndExamples(self):
        status, output = self.check("--only", "examples", "--filter", "f*:third-*fifth")
        self.assertEqual(status, 0, output)
        self.assertEqual(self.line(output, "examples"), "1 ran, 0 failed")

    def test_device_IsChosenByPartOfItsName_AndPassedOn(self):
        self.example("print(os.environ['MILLRACE_TEST_DEVICE']); sys.exit(1)")
        _, output = self.check("--only", "examples", "--device", "proc")
        self.assertIn("  | a processor\n", output)

    def test_deviceThatIsNotThere_IsToldWithThoseThatAre(self):
        status, output = self.check("--device", "nothing")
        self.assertNotEqual(status, 0)
        self.assertIn("no device nothing here; there are:\n  a processor\n  a card", output)

    def test_withoutValidationLayer_SaysSo_AndTellsThePrograms(self):
        self.example("print('off', os.environ.get('MILLRACE_TEST_NO_VALIDATION')); sys.exit(1)")
        _, output = self.check("--only", "examples", "--no-validation")
        self.assertIn("WITHOUT the validation layer", output)
        self.assertIn("  | off 1\n", output)

    def test_librariesOfTheFolder_AreUsedWhereTheMachineHasNone(self):
        shutil.copy("/bin/true", self.folder / "lib/libc.so.6")  # there is a better one
        (self.folder / "lib/libof_nobody.so.1").write_bytes(b"")
        self.example("print(os.listdir(os.environ['LD_LIBRARY_PATH'].split(':')[-1])); sys.exit(1)")
        _, output = self.check("--only", "examples")
        self.assertIn("libraries of the folder: libof_nobody.so.1\n", output)
        self.assertIn("  | ['libof_nobody.so.1']\n", output)

    def test_run_RunsOneProgramAsTheCheckDoes(self):
        self.example("sys.exit(1)")
        _, output = self.check("--only", "examples")
        command = shlex.split(re.search(r"reproduce: (.*first)$", output, re.M)[1])
        self.assertEqual(subprocess.run(command, check=False).returncode, 1)
        self.example("print(os.environ['MILLRACE_TEST_DEVICE'])")
        self.assertEqual(subprocess.run(command, capture_output=True, text=True, check=True).stdout, "a card\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

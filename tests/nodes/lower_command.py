#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace lower` from outside: usage: lower_command.py MILLRACE SPIRV_VAL FOLDER_OF_MODULES"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

MILLRACE, SPIRV_VAL, MODULES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
PASSES = ["extractEntryPoint", "rejectInvalid", "specialize", "inlinePayloadFunctions", "upgradeModule",
          "specializeRecursion", "narrowCoalescing", "reflectNode", "splitPayloadCopies", "reflectOutputs",
          "choosePacking", "checkBudgets", "makePayloadsCoherent", "lowerBuiltIns", "lowerPayloads",
          "enqueueForgottenPayloads", "lowerPushConstants", "orderPayloadMemory", "wrapEntryPoint", "narrowEnqueues",
          "gatherEnqueues", "narrowAllocations", "placeKeptPayloads", "runOnce", "stepThroughGrid", "linkDeviceLibrary",
          "decideBranches", "inlineCalls", "dropReadOnly", "scanReductions", "splitLongIntegers"]


def lower(*arguments):
    return subprocess.run([MILLRACE, "lower", *map(str, arguments)], capture_output=True, text=True, check=False)


class LowerCommand(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.module = MODULES / "level_a.spvasm"

    def output(self, *arguments, name="out.spv"):
        path = pathlib.Path(self.folder.name) / name
        result = lower(*arguments, "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def test_output_is_valid_and_plain(self):
        path = self.output(self.module)
        check = subprocess.run([SPIRV_VAL, "--target-env", "vulkan1.3", "--scalar-block-layout", path],
                               capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)
        self.assertNotIn("AMDX", lower(self.module, "--asm").stdout)

    def test_runs_give_the_same_bytes(self):
        for module in sorted(MODULES.glob("*.spvasm")):
            if module.stem == "dxc_n":  # has several entry points
                continue
            first = self.output(module, name="first.spv").read_bytes()
            self.assertEqual(first, self.output(module, name="second.spv").read_bytes(), module)

    def test_binary_and_text_give_the_same(self):
        binary = self.module.with_suffix(".spv")
        words = pathlib.Path(self.folder.name) / binary.name
        subprocess.run([SPIRV_VAL.replace("spirv-val", "spirv-as"), "--preserve-numeric-ids", "--target-env", "spv1.6",
                        self.module, "-o", words], check=True)
        self.assertEqual(self.output(words, name="first.spv").read_bytes(),
                         self.output(self.module, name="second.spv").read_bytes())

    def test_node_name_and_index_replace_the_shaders(self):
        self.assertIn('node "other"[7]', lower(self.module, "--node", "other:7", "--reflect").stdout)
        self.assertIn('node "other"[0]', lower(self.module, "--node", "other", "--reflect").stdout)

    def test_every_pass_can_be_printed(self):
        for name in PASSES:
            result = lower(self.module, "--print-after", name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(result.stdout.startswith(f"; after {name}\n"), result.stdout[:80])
            self.assertEqual(result.stdout.count("; after"), 1)
            self.assertIn("OpEntryPoint", result.stdout)

    def test_all_passes_in_order(self):
        lines = lower(self.module, "--print-after", "all").stdout.splitlines()
        self.assertEqual([line[8:] for line in lines if line.startswith("; after ")], PASSES)

    def test_unknown_pass_is_refused_with_the_names(self):
        result = lower(self.module, "--print-after", "nonsense")
        self.assertNotEqual(result.returncode, 0)
        for name in ["nonsense", *PASSES]:
            self.assertIn(name, result.stderr + result.stdout)

    def test_bad_input_is_an_error(self):
        for arguments in [[MODULES / "absent.spvasm"], [MODULES], [self.module, "--entry", "absent"]]:
            result = lower(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn("error", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

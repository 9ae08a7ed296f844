#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace compile` from outside: usage: compile_command.py MILLRACE SPIRV_VAL FOLDER_OF_EXAMPLES"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MILLRACE, SPIRV_VAL, EXAMPLES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
NODE = """#version 460
#include <size.glsl>
layout(name = "n", static_grid = uvec3(SIZE, 1, 1)) node;
layout(local_size_x = 4) in;
struct Item { uint value; };
nodein Item item;
layout(binding = 0) buffer Out { uint word; };
void main()
{
    word = item.value;
}
"""


def run(*arguments):
    return subprocess.run([MILLRACE, *map(str, arguments)], capture_output=True, text=True, check=False)


class CompileCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "include").mkdir()
        (self.folder / "include" / "size.glsl").write_text("#ifndef SIZE\n#define SIZE 3\n#endif\n")
        self.node = self.folder / "node.comp"
        self.node.write_text(NODE)

    def compile(self, *arguments):
        result = run("compile", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def validate(self, path):
        check = subprocess.run([SPIRV_VAL, "--target-env", "vulkan1.3", "--scalar-block-layout", path],
                               capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)

    def test_examples_are_valid_and_lower(self):
        sources = sorted(EXAMPLES.glob("*/*.comp"))
        self.assertGreaterEqual(len(sources), 3)
        for source in sources:
            for options in [[], ["-g"]]:
                path = self.folder / "out.spv"
                self.compile(source, *options, "-o", path)
                self.validate(path)
                self.assertEqual(run("lower", path).returncode, 0, source)

    def test_default_output_is_beside_the_input(self):
        self.compile(self.node, "-I", self.folder / "include")
        self.validate(self.folder / "node.spv")

    def test_text_goes_to_standard_output(self):
        text = self.compile(self.node, "-I", self.folder / "include", "--asm")
        self.assertIn('OpEntryPoint GLCompute %main "n"', text)
        self.assertNotIn("OpLine", text)
        self.assertFalse((self.folder / "node.spv").exists())

    def test_debug_information(self):
        text = self.compile(self.node, "-I", self.folder / "include", "--asm", "-g")
        self.assertIn("nodein Item item;", text)
        self.assertRegex(text, r"OpLine %\d+ 10 ")

    def test_definitions(self):
        path = self.folder / "out.spv"
        for definitions, grid in [([], "3 1 1"), (["-DSIZE=9"], "9 1 1"), (["-D", "SIZE"], "1 1 1")]:
            self.compile(self.node, "-I", self.folder / "include", *definitions, "-o", path)
            self.assertIn(f"grid {grid}\n", run("lower", path, "--reflect").stdout)

    def test_runs_give_the_same_bytes(self):
        first, second = self.folder / "first.spv", self.folder / "second.spv"
        for path in [first, second]:
            self.compile(EXAMPLES / "koch" / "segment.comp", "-o", path)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_errors_name_file_and_line_and_write_nothing(self):
        bad = self.folder / "bad.comp"
        bad.write_text(NODE.replace("word = item.value;", "word = item.values;"))
        result = run("compile", bad, "-I", self.folder / "include")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.startswith(f"{bad}:10:17: error: "), result.stderr)
        self.assertEqual(result.stderr.splitlines()[1:3], ["        word = item.values;", "                    ^"])
        self.assertFalse(bad.with_suffix(".spv").exists())

    def test_json(self):
        path = self.folder / "out.spv"
        found = json.loads(self.compile(self.node, "-I", self.folder / "include", "-o", path, "--json"))
        self.assertEqual((found["output"], found["warnings"], found["errors"]), (str(path), [], []))
        self.assertEqual((found["node"]["name"], found["node"]["launch"]["grid"]), ("n", [3, 1, 1]))
        self.assertEqual(found["node"], json.loads(run("lower", path, "--json").stdout)["node"])
        self.validate(path)
        bad = self.folder / "bad.comp"
        bad.write_text(NODE.replace("word = item.value;", "word = item.values;\n    word = 1 +;"))
        result = run("compile", bad, "-I", self.folder / "include", "--json")
        self.assertEqual(result.returncode, 1)
        errors = json.loads(result.stdout)["errors"]
        self.assertEqual((errors[0]["source"], errors[0]["where"], errors[0]["line"]), (str(bad), "line 10", 10))
        self.assertEqual([f"{e['source']}:{e['line']}:{e['column']}: error: {e['message']}" for e in errors],
                         [line for line in result.stderr.splitlines() if not line.startswith("    ")])
        absent = run("compile", self.folder / "absent.comp", "--json")
        self.assertEqual(json.loads(absent.stdout)["errors"][0]["source"], str(self.folder / "absent.comp"))
        self.assertEqual(run("compile", self.node, "--json", "--asm").returncode, 2)

    def test_several_files_go_to_a_folder(self):
        koch = [EXAMPLES / "koch" / "segment.comp", EXAMPLES / "first_graph" / "start.comp"]
        folder = self.folder / "new" / "folder"
        self.compile(*koch, "-o", folder)
        for name in ["segment.spv", "start.spv"]:
            self.validate(folder / name)
        bad = self.folder / "bad.comp"
        bad.write_text(NODE.replace("word = item.value;", "word = item.values;"))
        other = self.folder / "other"
        result = run("compile", bad, koch[0], "-I", self.folder / "include", "-o", other, "--json")
        self.assertEqual(result.returncode, 1)
        found = json.loads(result.stdout)
        self.assertEqual(found["files"][1]["output"], str(other / "segment.spv"))
        self.assertEqual(found["files"][0]["errors"], found["errors"])
        self.assertEqual([path.name for path in other.iterdir()], ["segment.spv"])
        for arguments in [["--asm"], ["-o", "-"], [koch[0], "-o", folder]]:
            self.assertEqual(run("compile", *koch, *arguments).returncode, 2, arguments)

    def test_dependency_file_names_what_is_included(self):
        output, rule = self.folder / "a b.spv", self.folder / "rule.d"
        self.compile(self.node, "-I", self.folder / "include", "-o", output, "--depfile", rule)
        target, needed = rule.read_text().replace("\\\n", "").split(": ", 1)
        self.assertEqual(target.replace("\\ ", " "), str(output))
        self.assertEqual(needed.split(), [str(self.node), str(self.folder / "include" / "size.glsl")])
        for arguments in [[self.node, "--asm"], [self.node, self.node, "-o", self.folder / "out"]]:
            self.assertEqual(run("compile", *arguments, "--depfile", rule).returncode, 2, arguments)

    def test_examples_have_no_warnings(self):
        for path in sorted(EXAMPLES.glob("*/*.comp")):
            result = run("compile", path, "-o", self.folder / "x.spv")
            self.assertEqual((result.returncode, result.stderr), (0, ""), path)

    def test_folders_are_made(self):
        path = self.folder / "a" / "b" / "c.spv"
        self.compile(self.node, "-I", self.folder / "include", "-o", path)
        self.validate(path)

    def test_files_that_cannot_be_used(self):
        for arguments, reason in [([self.folder / "absent.comp"], "No such file or directory"),
                                  ([self.folder], "it is a folder"),
                                  ([self.node, "-I", self.folder / "include", "-o", self.node / "x.spv"],
                                   "Not a directory")]:
            result = run("compile", *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, "millrace: error: .*cannot.*: " + reason)

    def test_wrong_usage(self):
        self.assertEqual(run("compile").returncode, 2)
        self.assertEqual(run("compile", self.node, "--nonsense").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

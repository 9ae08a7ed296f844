#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shader that cmake/CompileGlsl.cmake builds is built again when a file that it includes has changed, and only then.

usage: second_build.py SOURCES CMAKE CXX
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES, CMAKE, CXX = sys.argv[1:4]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(Shaders LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
include(CompileGlsl)
compile_glsl(some SHADERS "plain|plain.comp" "twice|plain.comp|-DFACTOR=2" "alone|alone.comp")
"""
PLAIN = """#version 460
#extension GL_GOOGLE_include_directive : require
#include "amount.h"
#ifndef FACTOR
#define FACTOR 1
#endif
layout(local_size_x = 1) in;
layout(binding = 0) buffer Sum { uint sum; };
void main() { sum += FACTOR * AMOUNT; }
"""
ALONE = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n"


class SecondBuild(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "cmake").symlink_to(pathlib.Path(SOURCES) / "cmake")
        for name, text in {"CMakeLists.txt": PROJECT, "plain.comp": PLAIN, "alone.comp": ALONE}.items():
            (self.folder / name).write_text(text)
        self.write_amount(1)
        self.run_cmake("-G", "Ninja", "-S", self.folder, "-B", self.folder / "build", f"-DCMAKE_CXX_COMPILER={CXX}")

    def write_amount(self, amount):
        (self.folder / "amount.h").write_text(f"#define AMOUNT {amount}\n")

    def run_cmake(self, *arguments):
        result = subprocess.run([CMAKE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def build(self):
        return self.run_cmake("--build", self.folder / "build")

    def test_second_build_does_nothing(self):
        self.assertIn("Compiling plain.comp as twice", self.build())
        self.assertIn("no work to do", self.build())
        self.write_amount(2)
        text = self.build()
        self.assertIn("Compiling plain.comp as plain", text)
        self.assertIn("Compiling plain.comp as twice", text)
        self.assertNotIn("alone", text)
        self.assertIn("no work to do", self.build())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

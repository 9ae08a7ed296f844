#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh on machines that commands in front of the real ones play.

usage: setup_test.py SOURCES TERMINAL_MODULE_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1])
sys.path.insert(0, sys.argv[2])

from terminal import Terminal  # noqa: E402

SETUP = SOURCES / "scripts/setup.sh"
# What a machine offers: the packages that Debian 12 has in too old a version, for which "next" is needed.
OLD = ["libvulkan-dev", "vulkan-utility-libraries-dev", "spirv-tools"]

COMMANDS = {
    "apt-get": r"""#!/usr/bin/env python3
import os, pathlib, sys
here = pathlib.Path(os.environ["MACHINE"])
words = sys.argv[1:]
with open(here / "log", "a") as log:
    log.write("apt-get " + " ".join(words) + "\n")
if words[0] == "indextargets":
    for name in (here / "releases").read_text().split():
        print(f"Debian|Debian|{name}|main|{here}/{name}.list:1")
elif words[0] == "-s":
    print((here / "simulated").read_text())
elif "install" in words:
    with open(here / "installed", "a") as installed:
        for word in words[words.index("install") + 1:]:
            if not word.startswith("-") and word not in ("trixie",):
                installed.write(word + "\n")
""",
    "apt-cache": r"""#!/bin/bash
if grep -qx "$2" "$MACHINE/old"; then echo "  Candidate: 0.1"; else echo "  Candidate: 9999"; fi
""",
    "dpkg-query": r"""#!/bin/bash
sed 's/$/ ii  9999/' "$MACHINE/installed"
""",
    "sudo": '#!/bin/bash\nexec "$@"\n',
    "tee": '#!/bin/bash\necho "tee $*" >> "$MACHINE/log"\ncat >/dev/null\n',
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = pathlib.Path(folder.name)
        (self.machine / "bin").mkdir()
        for name, text in COMMANDS.items():
            (self.machine / "bin" / name).write_text(text)
            (self.machine / "bin" / name).chmod(0o755)
        self.variables = {"MACHINE": str(self.machine), "PATH": f"{self.machine / 'bin'}:{os.environ['PATH']}"}
        self.play("bookworm", OLD)

    def play(self, release, old=(), simulated=""):
        """A machine of that release on which nothing is installed."""
        for name, text in {"releases": release, "old": "\n".join(old), "simulated": simulated, "installed": "",
                           "log": "", "bookworm.list": "deb http://mirror.invalid/debian bookworm main\n"}.items():
            (self.machine / name).write_text(text)

    def log(self):
        return (self.machine / "log").read_text()

    def changes(self):
        """Has anything been installed, or a source been added?"""
        return any(line.startswith("tee ") or (" install " in line and " -s " not in line)
                   for line in self.log().splitlines())

    def setup(self, *words, status=0):
        result = subprocess.run([SETUP, *words], env={**os.environ, **self.variables}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    def ask(self, answer, *words):
        """On a terminal: what it says, with the answer given where it asks."""
        program = Terminal(SETUP, *words, **self.variables)
        text = program.read(until=rb"go on\? \[y/N\]")
        if "go on?" in text:
            program.write(answer + "\n")
        text = program.read()
        program.close()
        return text

    def installed(self):
        return set((self.machine / "installed").read_text().split())

    def test_demo_installs_what_it_needs_and_no_more(self):
        self.setup("demo")
        self.assertLessEqual({"g++", "cmake", "libvulkan-dev", "mesa-vulkan-drivers"}, self.installed())
        for package in ["chromium", "zsh", "fish", "man-db", "llvm-22-dev", "libgtest-dev", "python3",
                        "vulkan-validationlayers", "node-dagre-layout"]:
            self.assertNotIn(package, self.installed())
        demo = self.installed()
        self.setup("tool")
        tool = self.installed()
        self.assertIn("llvm-22-dev", tool - demo)
        self.assertNotIn("chromium", tool)
        self.setup()
        self.assertIn("chromium", self.installed() - tool)

    def test_second_time_it_says_and_does_nothing(self):
        self.setup("demo")
        (self.machine / "log").write_text("")
        self.assertEqual(self.setup("demo"), "")
        self.assertEqual(self.log(), "")

    def test_it_says_what_it_will_change(self):
        text = self.setup("demo")
        for words in ["this installs ", "libc6", "adds an apt source for Debian trixie", "/etc/apt/preferences.d/"]:
            self.assertIn(words, text)
        self.assertTrue(self.changes())

    def test_it_asks_on_a_terminal_before_a_source_is_added(self):
        text = self.ask("n", "demo")
        self.assertIn("adds an apt source", text)
        self.assertIn("nothing was installed", text)
        self.assertFalse(self.changes(), self.log())
        self.assertIn("go on?", self.ask("y", "demo"))
        self.assertTrue(self.changes())

    def test_it_asks_before_the_c_library_is_upgraded(self):
        self.play("trixie", simulated="Inst libc6 [2.41-1] (2.41-2 Debian:13/stable [amd64])")
        text = self.ask("", "demo")
        self.assertIn("upgrades the C library", text)
        self.assertNotIn("apt source", text)
        self.assertFalse(self.changes(), self.log())

    def test_new_packages_alone_are_no_question(self):
        self.play("trixie", simulated="Inst g++ (4:14 Debian:13/stable [amd64])")
        self.assertNotIn("go on?", self.ask("n", "demo"))
        self.assertTrue(self.changes())

    def test_yes_is_no_question(self):
        self.assertNotIn("go on?", self.ask("n", "--yes", "demo"))
        self.assertTrue(self.changes())

    def test_check_changes_nothing(self):
        self.assertIn("missing or too old: ", self.setup("--check", "demo", status=1))
        self.assertFalse(self.changes(), self.log())

    def test_what_it_does_not_know_is_wrong_usage(self):
        self.assertIn("usage: ", self.setup("--chek", status=2))
        self.assertEqual(self.log(), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is the same for all commands: usage: tool_behaviour.py MILLRACE FOLDER_OF_BINARIES BUILD_FOLDER_OF_TOOLS

Options are read from the sources, so that one that help, man page or completion does not have is noticed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from terminal import ENVIRONMENT, Terminal, terminal

PROGRAM, SHADERS, BUILD = map(pathlib.Path, sys.argv[1:4])
SOURCES = pathlib.Path(__file__).parents[2] / "tools"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=3600,
                          **{"env": ENVIRONMENT, **options})


def millrace(*arguments, **options):
    return run(PROGRAM, *arguments, **options)


def options_in_sources():
    """Of each command the options that its source adds: {"graph": {"--node", "-o", ...}}."""
    commands = {}
    for path in SOURCES.rglob("*.cpp"):
        # Of files with several commands, each from its function to the next.
        for part in re.split(r"(?=\n(?:CLI::App\*|Command) add\w*\()", path.read_text()):
            added = re.search(r'add_subcommand\(\s*"(\w+)"', part)
            if added:
                names = re.findall(r'add_(?:option|flag)\(\s*"(-[^"]+)"', part)
                commands[added.group(1)] = {name for group in names for name in group.split(",")} | {"-h", "--help"}
    return commands


OPTIONS = options_in_sources()


class EveryCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assertHas(self, text, names, what):
        for name in names:
            self.assertRegex(text, rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"{name} in {what}")

    # Help, man pages, version.

    def test_sources_have_the_commands_of_the_tool(self):
        listed = re.search(r"Commands:\n((?:  .*\n)+)", millrace("--help").stdout).group(1)
        self.assertEqual(set(re.findall(r"^  (\w+)", listed, re.MULTILINE)), set(OPTIONS))
        self.assertTrue({"compile", "lower", "graph", "info", "completion", "manual"} <= set(OPTIONS))
        self.assertTrue({"--node", "-o", "--output", "--json", "--max-scratch-mib"} <= OPTIONS["graph"])

    def test_help_has_every_option(self):
        for command, names in OPTIONS.items():
            for flag in ["--help", "-h"]:
                result = millrace(command, flag)
                self.assertEqual((result.returncode, result.stderr), (0, ""), command)
                self.assertHas(result.stdout, names, f"help of {command}")
                self.assertIn(f"Usage: millrace {command} [OPTION]...", result.stdout)
                self.assertRegex(result.stdout, r"Exit status:\n  0  .*\n  1  ")
                self.assertIn("Examples:", result.stdout)

    def test_help_fits_terminals(self):
        for command in ["", *OPTIONS]:
            text = millrace(*command.split(), "--help").stdout
            for line in text[:text.find("Examples:")].splitlines():
                self.assertLessEqual(len(line), 80, line)
            self.assertNotIn("\n\n\n", text)

    def test_man_page_has_every_option(self):
        for command, names in OPTIONS.items():
            page = self.folder / f"millrace-{command}.1"
            page.write_text(millrace("manual", command).stdout)
            shown = run("man", "--warnings", "-E", "UTF-8", "-l", page, env={**ENVIRONMENT, "MANWIDTH": "200"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), command)
            self.assertHas(shown.stdout, names, f"man page of {command}")
            for title in ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"]:
                self.assertRegex(shown.stdout, rf"(?m)^{title}$")
            # What apropos and whatis read.
            self.assertIn(f"millrace-{command} - ", run("lexgrog", page).stdout)

    def test_man_page_of_the_tool_has_every_command(self):
        page = self.folder / "millrace.1"
        page.write_text(millrace("manual").stdout)
        shown = run("man", "--warnings", "-E", "UTF-8", "-l", page)
        self.assertEqual(shown.stderr, "")
        self.assertHas(shown.stdout, [*OPTIONS, "--version", "NO_COLOR"], "man page of the tool")

    def test_version(self):
        result = millrace("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^millrace \d+\.\d+\.\d+\n$")

    def test_installation_brings_man_pages_and_completion(self):
        result = run("cmake", f"-DCMAKE_INSTALL_PREFIX={self.folder}", "-P", BUILD / "cmake_install.cmake")
        self.assertEqual(result.returncode, 0, result.stderr)
        installed = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        expected = {"bin/millrace", "share/bash-completion/completions/millrace",
                    "share/zsh/site-functions/_millrace", "share/fish/vendor_completions.d/millrace.fish",
                    "share/man/man1/millrace.1", *(f"share/man/man1/millrace-{name}.1" for name in OPTIONS)}
        self.assertEqual(installed, expected)
        for command in OPTIONS:
            self.assertEqual((self.folder / f"share/man/man1/millrace-{command}.1").read_text(),
                             millrace("manual", command).stdout)

    # Completion.

    def test_completion_has_every_option(self):
        bash = millrace("completion", "bash").stdout
        zsh = millrace("completion", "zsh").stdout
        fish = millrace("completion", "fish").stdout
        for command, names in OPTIONS.items():
            words = re.search(rf"\n        {command}\)\n.*\n\s+_millrace_words '(.*)'", bash).group(1)
            self.assertEqual(set(words.split()), names, f"bash, {command}")
            part = re.search(rf"\n                {command}\)\n(.*?);;", zsh, re.DOTALL).group(1)
            self.assertEqual(set(re.findall(r"^\s+'(?:\(.*?\)|\*)(-[\w-]+)", part, re.MULTILINE)), names, f"zsh, {command}")
            rows = re.findall(rf"__fish_seen_subcommand_from {command}' (.*)", fish)
            found = {f"-{name}" for row in rows for name in re.findall(r"(?:^| )-s (\S+)", row)} | {
                f"--{name}" for row in rows for name in re.findall(r"(?:^| )-l (\S+)", row)}
            self.assertEqual(found, names, f"fish, {command}")

    def bash(self, *words):
        """What bash offers for the last word."""
        script = self.folder / "completion.bash"
        script.write_text(millrace("completion", "bash").stdout)
        # Completion options are for readline, which is not there.
        result = run("bash", "-c", 'compopt() { :; }; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _millrace; '
                     'printf "%s\\n" "${COMPREPLY[@]}"', script, *words, cwd=self.folder)
        self.assertEqual(result.stderr, "")
        return sorted(line for line in result.stdout.splitlines() if line)

    def fish(self, line):
        script = self.folder / "completion.fish"
        script.write_text(millrace("completion", "fish").stdout)
        result = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line,
                     cwd=self.folder, env={**ENVIRONMENT, "HOME": str(self.folder)})
        self.assertEqual(result.stderr, "")
        return sorted(row.split("\t")[0] for row in result.stdout.splitlines())

    def zsh(self, line):
        """What a shell lists when tab is pressed behind the line."""
        functions = self.folder / "functions"
        functions.mkdir(exist_ok=True)
        (functions / "_millrace").write_text(millrace("completion", "zsh").stdout)
        (self.folder / ".zshrc").write_text(
            f"fpath=({functions} $fpath)\nautoload -Uz compinit\ncompinit -u -d {self.folder}/dump\n"
            "LISTMAX=1000\nsetopt nobeep\nzstyle ':completion:*' list-colors ''\nzstyle ':completion:*' verbose no\n"
            f"bindkey '^I' list-choices\nstty columns 200\ncd {self.folder}\nPS1='READY>'\n")
        shell = Terminal("zsh", "-d", "-i", ZDOTDIR=str(self.folder), HOME=str(self.folder))
        shell.read(until=b"READY>")
        shell.write(line + "\t")
        listed = shell.read(quiet=0.5).split("READY>", 1)[1]
        os.kill(shell.process, signal.SIGKILL)
        shell.close()
        plain = re.sub(r"\033(?:\[[\d;?]*[A-Za-z]|.)", "", listed)
        return set(re.findall(r"[\w./-]+", plain))

    def test_shells_complete_commands(self):
        self.assertEqual(self.bash("millrace", "gr"), ["graph"])
        self.assertEqual(self.fish("millrace gr"), ["graph"])
        self.assertTrue({"completion", "compile"} <= self.zsh("millrace com"))

    def test_shells_complete_options(self):
        self.assertEqual(self.bash("millrace", "graph", "--m"), ["--max-scratch-mib"])
        self.assertEqual(self.fish("millrace graph --m"), ["--max-scratch-mib"])
        self.assertTrue(OPTIONS["graph"] <= self.zsh("millrace graph -"))

    def test_shells_complete_words(self):
        self.assertEqual(self.bash("millrace", "lower", "--print-after", "wrap"), ["wrapEntryPoint"])
        self.assertEqual(self.bash("millrace", "lower", "--print-after", "=", "wrap"), ["wrapEntryPoint"])
        self.assertEqual(self.fish("millrace lower --print-after wrap"), ["wrapEntryPoint"])
        self.assertTrue({"bash", "zsh", "fish"} <= self.zsh("millrace completion "))
        self.assertEqual(self.bash("millrace", "completion", ""), ["bash", "fish", "zsh"])

    def test_shells_complete_files_and_folders(self):
        (self.folder / "with space.comp").touch()
        (self.folder / "within").mkdir()
        self.assertEqual(self.bash("millrace", "compile", "with"), ["with space.comp", "within"])
        self.assertEqual(self.bash("millrace", "compile", "-I", "with"), ["within"])
        self.assertEqual(self.bash("millrace", "info", "with"), [])
        self.assertEqual(self.fish("millrace compile with"), ["with space.comp", "within/"])
        self.assertEqual(self.fish("millrace compile -I with"), ["within/"])
        self.assertEqual(self.fish("millrace info with"), [])
        self.assertIn("within/", self.zsh("millrace compile with"))

    # Wrong usage.

    def test_wrong_usage_has_status_2_and_says_where_help_is(self):
        for arguments, text, advice in [([], "a command is missing", "millrace --help"),
                                        (["grpah"], 'no command "grpah"; did you mean "graph"?', "millrace --help"),
                                        (["x\x1b[31m"], 'no command "x\ufffd[31m"', "millrace --help"),
                                        (["--nonsense"], "--nonsense", "millrace --help"),
                                        (["--verison"], 'no option "--verison"; did you mean "--version"?', "millrace --help"),
                                        (["run", "x", "--repat", "3"], 'no option "--repat"; did you mean "--repeat"?',
                                         "millrace run --help"),
                                        (["run", "--repat=3", "x"], 'no option "--repat"; did you mean "--repeat"?',
                                         "millrace run --help"),
                                        (["graph", "--maxscratch-mib", "3", "x"], 'did you mean "--max-scratch-mib"?',
                                         "millrace graph --help"),
                                        (["run", "x", "y"], '"y" is one word too many', "millrace run --help"),
                                        (["completion", "tcsh"], "none of bash, zsh and fish", "millrace completion --help"),
                                        (["run", "x", "--form", "indirct"],
                                         '"indirct" is none of host, indirect and indirect-count; did you mean "indirect"?',
                                         "millrace run --help"),
                                        (["run", "x", "--scratch", "mx"], 'did you mean "max"?', "millrace run --help"),
                                        (["run", "x", "--trace", "y", "--trace-detail", "step"], 'did you mean "steps"?',
                                         "millrace run --help"),
                                        (["run", "x", "--show", "add levl 2"],
                                         '"levl" is none of level, first and where; did you mean "level"?',
                                         "millrace run --help"),
                                        (["lower", "x", "--print-after", "lowerPayload"],
                                         'did you mean "lowerPayloads"?', "millrace lower --help"),
                                        (["dxil", "-"], "standard input has no name", "millrace dxil --help"),
                                        *(([c, "--nonsense"], "", f"millrace {c} --help") for c in OPTIONS)]:
            result = millrace(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"^millrace: error: ")
            self.assertIn(text, result.stderr)
            self.assertIn(f"Try '{advice}'.", result.stderr)

    def test_unknown_man_page(self):
        result = millrace("manual", "nothing")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn('no command "nothing"', result.stderr)
        self.assertIn('no command "grph"; did you mean "graph"?', millrace("manual", "grph").stderr)

    def test_full_disk_is_no_success(self):
        for arguments in [["--help"], ["graph", "--help"], ["--version"], ["completion", "zsh"], ["manual"]]:
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, check=False,
                                        timeout=3600)
            self.assertEqual(result.returncode, 1, arguments)

    # What a program reads.

    def test_what_never_ends_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            long = pathlib.Path(folder) / "long"
            with open(long, "wb") as file:
                file.truncate(1 << 40)
            for path in ["/dev/zero", long]:
                for command in ["lower", "graph", "report", "run", "compile", "dxil"]:
                    if path == "/dev/zero" and command not in ("lower", "report"):
                        continue  # the same function, which takes half a gibibyte each time
                    result = millrace(command, path)
                    self.assertEqual((result.returncode, result.stdout), (1, ""), command)
                    self.assertIn(f"{path}", result.stderr)
                    self.assertIn("it is longer than 512 MiB, the most that is read", result.stderr)

    def test_json_is_one_document_also_for_errors(self):
        module = SHADERS / "level_a.spv"
        for arguments, status in [(["graph", module, SHADERS / "level_b.spv"], 0), (["graph", module], 1),
                                  (["graph", "absent"], 1), (["lower", module], 0), (["lower", "absent"], 1),
                                  (["lower", module, "--entry", "absent"], 1)]:
            result = millrace(*arguments, "--json")
            self.assertEqual(result.returncode, status, arguments)
            errors = json.loads(result.stdout)["errors"]
            self.assertEqual(len(errors), status)
            for error in errors:
                self.assertEqual(set(error), {"source", "where", "message"})

    def test_json_of_lower_is_the_node_as_in_a_graph(self):
        lowered = json.loads(millrace("lower", SHADERS / "level_b.spv", "--json").stdout)["node"]
        linked = json.loads(millrace("graph", SHADERS / "level_b.spv", "--json").stdout)["nodes"][0]
        self.assertEqual(lowered, {key: linked[key] for key in lowered})
        self.assertEqual((lowered["name"], lowered["payloadBytes"]), ("b", 16))
        for more in [["--asm"], ["--reflect"], ["-o", "-"], ["--print-after", "all"]]:
            self.assertEqual(millrace("lower", SHADERS / "level_b.spv", "--json", *more).returncode, 2, more)

    # Terminals.

    def test_colours_on_terminals_only(self):
        modules = [SHADERS / "level_a.spv", SHADERS / "level_b.spv"]
        self.assertIn("\033[1m", terminal(PROGRAM, "graph", *modules))
        self.assertIn("\033[31merror", terminal(PROGRAM, "graph", "absent"))
        self.assertIn("\033[1mUsage:", terminal(PROGRAM, "graph", "--help"))
        for variables in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            for arguments in [modules, ["absent"], ["--help"]]:
                self.assertNotIn("\033", terminal(PROGRAM, "graph", *arguments, **variables))
        self.assertIn("\033[1m", terminal(PROGRAM, "graph", *modules, NO_COLOR=""), "empty means not set")
        for arguments in [modules, ["absent"]]:
            result = millrace("graph", *arguments)
            self.assertNotIn("\033", result.stdout + result.stderr)

    def test_columns_are_where_they_are_without_colours(self):
        arguments = ["graph", SHADERS / "level_a.spv", SHADERS / "level_b.spv"]
        coloured = re.sub(r"\033\[\d*m", "", terminal(PROGRAM, *arguments)).replace("\r\n", "\n")
        self.assertEqual(coloured, millrace(*arguments).stdout)

    def slow(self):
        """A module that takes two seconds to read."""
        pipe = self.folder / "slow.spv"
        os.mkfifo(pipe)

        def feed():
            with open(pipe, "wb") as out:
                time.sleep(2)
                out.write((SHADERS / "recurse.spv").read_bytes())
        threading.Thread(target=feed, daemon=True).start()
        return pipe

    def test_progress_of_what_takes_longer_than_a_second(self):
        out = terminal(PROGRAM, "graph", SHADERS / "level_b.spv", self.slow())
        self.assertIn("\r\033[Kmillrace: compiling 1 of 2, 1 s", out)
        self.assertIn("\r\033[Knode", re.sub(r"\033\[\d*m", "", out), "the line is gone before the result")

    def test_no_progress_where_it_would_not_be_seen(self):
        self.assertNotIn("compiling", terminal(PROGRAM, "graph", self.slow(), TERM="dumb"))
        os.unlink(self.folder / "slow.spv")
        self.assertNotIn("compiling", millrace("graph", self.slow()).stderr)
        self.assertNotIn("compiling", terminal(PROGRAM, "graph", SHADERS / "recurse.spv"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

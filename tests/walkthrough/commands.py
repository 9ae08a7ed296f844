#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tool's commands wherever documents mention them: options exist, and outputs are what the tool writes.

usage: commands.py SOURCES MILLRACE, or commands.py --self-test

In an indented block of docs, "$ COMMAND" is run, and what follows is its output; so is a block behind
"<!-- output of COMMAND -->". A line "..." leaves lines out. Of lines that tell device, time and sizes of scratch
memory only the first word is compared, and versions, identifiers and folders not at all. All commands of a document run in one
folder, which has the examples and the tests.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import follow

MENTIONED = re.compile(r"`millrace ([^`\n]+)`|^ {4}(?:\$ )?millrace ([^\n]+)$", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)(--[a-z][\w-]*|-[a-zA-Z])(?=$|[\s=])")
VARYING = ("device:", "time:", "scratch:", "scratch")
# What differs from machine to machine: versions, parts of versions, UUIDs, what a compiler for a processor is called, folders.
MACHINE = re.compile(r"\b\d+(\.\d+)+[\w.+~-]*|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d+ bits\b|(?<=: )/\S+/")


def mentions(text):
    """(command, [options]) of each command of the tool."""
    for inline, indented in MENTIONED.findall(text):
        words = re.split(r"\s{2,}#|\s[|;]|\s&&", inline or indented)[0]
        command = words.split()[0]
        if re.fullmatch(r"[a-z]+", command):
            yield command, OPTION.findall(words)


class Help:
    """What `millrace COMMAND --help` lists."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def __call__(self, command):
        if command not in self.known:
            result = subprocess.run([self.program, command, "--help"], capture_output=True, text=True, check=False)
            found = set(re.findall(r"(?<![\w-])(--[a-z][\w-]*|-[a-zA-Z])(?![\w-])", result.stdout))
            self.known[command] = found if result.returncode == 0 else None
        return self.known[command]


def option_problems(name, text, options_of):
    for command, options in mentions(text):
        known = options_of(command)
        if known is None:
            yield f"{name}: there is no 'millrace {command}'"
            continue
        for option in options:
            if option not in known:
                yield f"{name}: 'millrace {command}' has no option {option}"


def shown(text):
    """(command, [lines of its output])"""
    for kind, source, block in follow.blocks(text):
        if source and source[0] == "output":
            yield source[1], block
        elif kind == "shell" and source is None:
            command, output = None, []
            for line in block + ["$ "]:
                if line.startswith("$ "):
                    if command:
                        yield command, output
                    command, output = line[2:], []
                else:
                    output.append(line)


def comparable(line):
    first = line.split()[0] if line.split() else ""
    return first if first in VARYING else MACHINE.sub("?", line).rstrip()


def output_problems(name, text, run):
    for command, expected in shown(text):
        written = run(command)
        why = follow.is_from([comparable(line) for line in expected],
                             "\n".join(comparable(line) for line in written.splitlines() if line))
        if why:
            yield f"{name}: {command}: {why}, but\n{written}"


def check(sources, program):
    options_of = Help(program)
    outputs = 0
    path = f"{pathlib.Path(program).resolve().parent}:{os.environ['PATH']}"
    for document in [sources / "README.md", *sorted((sources / "docs").glob("*.md"))]:
        text = document.read_text()
        name = str(document.relative_to(sources))
        yield from option_problems(name, text, options_of)
        with tempfile.TemporaryDirectory(prefix="millrace-commands-") as folder:
            for each in ["examples", "tests"]:
                os.symlink(sources / each, pathlib.Path(folder) / each)

            def run(command):
                result = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                return result.stdout

            yield from output_problems(name, text, run)
        outputs += len(list(shown(text)))
    print(f"{outputs} outputs")
    if outputs < 10:
        yield "documents show next to no outputs; are they still found?"


def self_test():
    text = ("`millrace run x --trace y` and `millrace nothing`\n\n    millrace run --twice | z --other   # --more\n\n"
            "    $ millrace run a\n    time: 3 s\n    ...\n    right\n\n<!-- output of millrace run b -->\n\n    wrong\n\ntext\n")
    found = list(option_problems("d", text, {"run": {"--trace"}, "nothing": None}.get))
    assert found == ["d: there is no 'millrace nothing'", "d: 'millrace run' has no option --twice"], found
    assert sorted(shown(text)) == [("millrace run a", ["time: 3 s", "...", "right"]), ("millrace run b", ["wrong"])]
    found = [each.split("\n")[0] for each in output_problems("d", text, lambda _: "time: 9 s\nmore\nright\n")]
    assert len(found) == 1 and found[0].startswith("d: millrace run b: "), found


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(check(pathlib.Path(sys.argv[1]), sys.argv[2]))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()

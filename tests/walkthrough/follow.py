#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows README.md and docs/tutorial.md word for word, in a root that has nothing but what a reader would have there.

usage: follow.py SOURCES BUILD      each command of both, from the tree that was built
       follow.py --listings SOURCES whether each listing of README.md and docs is what it says
       follow.py --self-test

In an indented block, a line that begins as one of COMMANDS is a command, which must succeed; any other is a line that the
command before has written. Behind "<!-- from FILE -->" the lines of a listing are those of the file in their order, where a
line "...", alone or in a comment, leaves lines out. Behind "<!-- schema FILE[#POINTER] -->" a listing is JSON, or has JSON in
each line, that keeps the schema. Behind "<!-- output of COMMAND -->" an indented block is what the command writes (commands.py
runs it), and behind "<!-- form -->" it is a pattern and no output. Without any of these, indented blocks of other documents
than DOCUMENTS have commands alone, or "$ COMMAND" and its output.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = ["README.md", "docs/tutorial.md"]
COMMANDS = ("millrace ", "scripts/", "./demo.sh", "./test.sh", "cmake ", "export ", "git ", "dxc ", "build-program/")
# What a reader has done already, or what would build all of Millrace once more: another command shows that it is there.
BUILT = {
    "git clone <this repository> millrace && cd millrace": "test -e docs/tutorial.md",
    "scripts/build.sh": "test -x scripts/build.sh && test -x build-release/tools/millrace",
    "./test.sh": "test -x test.sh",  # runs this test
    "dxc -T lib_6_8 -Fo mandelbrot.dxil mandelbrot.hlsl": "test -s examples/hlsl/mandelbrot/mandelbrot.dxil",
}
# Who has installed the package builds nothing of Millrace.
INSTALLED = {**BUILT, "scripts/build.sh": "command -v millrace", "./test.sh": "true", "./demo.sh": "true",
             "cmake --install build-release --prefix ~/millrace": "true"}
FENCE = re.compile(r"^```(\w*)$")
SOURCE = re.compile(r"^<!-- (?:(from|schema) (\S+)|(output) of (.+)|(form)) -->$")
# Of what other documents than DOCUMENTS tell a reader to type: shells, other programs, and variables for any program.
TYPED = re.compile(r"(\$ .*|\S+=\S+( .*)?|"
                   r"(sudo|source|aarch64-linux-gnu-g\+\+|cpack|ctest|glslangValidator|gfxrecon-convert|dxc|mmdebstrap|ninja|npm) .*|"
                   r"(scripts|tests|bench|build[\w-]*|catapult|FOLDER)/\S+.*|run-clang-tidy .*)$")
LEFT_OUT = re.compile(r"^\s*(//|#|/\*)?\s*\.\.\.( \*/)?$")


def blocks(text):
    """("listing", source, lines) of fenced blocks and ("shell", source, lines) of indented ones, in their order.

    A source is None or (kind, file), ("output", command) or ("form", None)."""
    lines = text.splitlines()
    at, source, blank = 0, None, True
    while at < len(lines):
        line = lines[at]
        if FENCE.match(line):
            end = lines.index("```", at + 1)
            yield "listing", source, lines[at + 1:end]
            at, source, blank = end + 1, None, False
        elif line.startswith("    ") and blank:
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            yield "shell", source, [each[4:] for each in lines[at:end] if each]
            at, source, blank = end, None, True
        else:
            if line:
                found = SOURCE.match(line)
                source = (found[1] or found[3] or found[5], found[2] or found[4]) if found else None
            blank = not line
            at += 1


def is_command(line):
    return line.startswith(COMMANDS)


def without_comment(command):
    return re.sub(r"\s{2,}# .*$", "", command)


def steps(text):
    """[(command, [lines of its output])]"""
    found = []
    for kind, source, lines in blocks(text):
        for line in lines if kind == "shell" and not source else []:
            if is_command(line):
                found.append((without_comment(line), []))
            elif found:
                found[-1][1].append(line)
            else:
                raise AssertionError(f"no command has written {line!r}")
    return found


def script(commands, instead):
    """One shell for all, as a reader has one."""
    out = []
    for number, (command, _) in enumerate(commands):
        out.append(f"echo '@@ {number}'\n{instead.get(command, command)}\necho \"@@ status $?\"")
    return "exec 2>&1\n" + "\n".join(out) + "\n"


def problems(commands, output):
    """What is not as the document says."""
    for number, (command, expected) in enumerate(commands):
        found = re.search(rf"^@@ {number}\n(.*?)^@@ status (\d+)$", output, re.MULTILINE | re.DOTALL)
        if not found:
            yield f"{command}: did not run"
            continue
        written, status = found.groups()
        if status != "0":
            yield f"{command}: status {status}\n{written}"
        lines = [line.strip() for line in written.splitlines()]
        for line in expected:
            if line.strip() not in lines:
                yield f"{command}: does not write {line.strip()!r}, but\n{written}"


def follow(text, execute, instead):
    """`execute` runs a script and returns what it wrote."""
    commands = steps(text)
    if len(commands) < 3:
        yield f"only {len(commands)} commands"
    yield from problems(commands, execute(script(commands, instead)))


def segments(lines):
    """Neighbouring lines that must be neighbours in the file."""
    found = [[]]
    for line in lines:
        if LEFT_OUT.match(line):
            found.append([])
        else:
            found[-1].append(line.rstrip())
    return [segment for segment in found if segment]


def is_from(lines, text):
    """Whether the lines are those of the text, in its order."""
    have, at = [line.rstrip() for line in text.splitlines()], 0
    for segment in segments(lines):
        places = [i for i in range(at, len(have)) if have[i:i + len(segment)] == segment]
        if not places:
            return f"not in it behind line {at}: {segment[0]!r} and what follows"
        at = places[0] + len(segment)
    return ""


def keeps_schema(lines, root, place):
    """What is wrong with JSON."""
    import jsonschema  # Debian: python3-jsonschema

    file, _, pointer = place.partition("#")
    schema = json.loads((root / file).read_text())
    part = schema
    for key in pointer.split("/")[1:]:
        part = part[key]
    try:
        documents = [json.loads("\n".join(lines))]
    except json.JSONDecodeError:
        documents = [json.loads(line) for line in lines]
    # References are to places of the whole schema.
    definitions = {key: schema[key] for key in ("$schema", "$defs") if key in schema}
    validator = jsonschema.Draft202012Validator({**definitions, **part})
    errors = [error.message for document in documents for error in validator.iter_errors(document)]
    return errors[0] if errors else ""


def length_problems(root):
    """Programs are as short as README.md says: "[FOLDER](FOLDER) is all of it, in N lines"."""
    for folder, most in re.findall(r"\[(\S+)\]\(\1\) is all of it, in (\d+) lines", (root / "README.md").read_text()):
        count = sum(len(file.read_text().splitlines()) for file in (root / folder).glob("*.cpp"))
        if not 0 < count <= int(most):
            yield f"README.md: {folder} has {count} lines, not {most}"


def typed_problems(lines):
    """Lines that are neither commands nor what "$ COMMAND" has written."""
    continued = False
    for line in lines:
        if line.startswith("$ "):
            return
        if not continued and not is_command(line) and not TYPED.match(line):
            yield f"nothing says where {line!r} comes from"
            return
        continued = line.endswith("\\")


def listing_problems(root):
    for document in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
        if not document.exists():
            continue
        name = str(document.relative_to(root))
        for kind, source, lines in blocks(document.read_text()):
            how, file = source or (None, None)
            if how in ("from", "schema"):
                why = is_from(lines, (root / file).read_text()) if how == "from" else keeps_schema(lines, root, file)
                if why:
                    yield f"{name}: {file}: {why}"
            elif kind == "listing":
                yield f"{name}: no file is said to have the listing that begins {lines[0]!r}"
            elif how is None and name not in DOCUMENTS:
                yield from (f"{name}: {problem}" for problem in typed_problems(lines))


def make_root(folder, sources, build):
    """What a clone has, and the build under test in the place of a reader's own."""
    for name in [*DOCUMENTS, "demo.sh", "test.sh"]:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy2(sources / name, folder / name)
    for name in ["examples", "scripts"]:
        shutil.copytree(sources / name, folder / name)
    (folder / "docs/images").mkdir()
    # Both are tests of their own: what setup.sh installs, and that a second build does nothing.
    (folder / "scripts/build.sh").write_text("#!/bin/sh\nexit 0\n")
    (folder / "build-release").symlink_to(build)
    (folder / "home").mkdir()


def follow_built(sources, build):
    found = []
    with tempfile.TemporaryDirectory(prefix="millrace-walkthrough-") as name:
        folder = pathlib.Path(name)
        make_root(folder, sources, build)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder / "home")}
        if "VK_DRIVER_FILES" in os.environ:
            environment["VK_DRIVER_FILES"] = os.environ["VK_DRIVER_FILES"]

        def execute(text):
            result = subprocess.run(["bash"], input=text, cwd=folder, env=environment, capture_output=True, text=True,
                                    check=False)
            return result.stdout

        for document in DOCUMENTS:
            text = (sources / document).read_text()
            found += [f"{document}: {problem}" for problem in follow(text, execute, BUILT)]
            print(f"{document}: {len(steps(text))} commands")
    return found


def self_test():
    text = "a\n\n    millrace 1  # one\n\n    two\n\n```glsl\nx\n```\n\n    millrace 3\n    millrace 4\n    five\n"
    assert steps(text) == [("millrace 1", ["two"]), ("millrace 3", []), ("millrace 4", ["five"])], steps(text)
    output = "@@ 0\n two \n@@ status 0\n@@ 1\n@@ status 2\n@@ 2\nsix\n@@ status 0\n"
    found = [problem.split("\n")[0] for problem in problems(steps(text), output)]
    assert found == ["millrace 3: status 2", "millrace 4: does not write 'five', but"], found
    assert list(problems([("millrace 1", [])], "")) == ["millrace 1: did not run"]
    file = "a\nb\nc\nd\n"
    assert not is_from(["a", "// ...", "c", "d"], file) and not is_from(["b", "..."], file)
    assert is_from(["a", "c"], file) and is_from(["c", "# ...", "a"], file)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "docs").mkdir()
        (root / "README.md").write_text("```c\nx\n```\n<!-- from f -->\n```c\nx\n```\n<!-- schema s -->\n```json\n{\"a\": 1}\n{\"b\": \"y\"}\n```\n"
                                        "<!-- schema s -->\n```json\n{\n}\n```\n")
        (root / "f").write_text("a b c\n")
        (root / "s").write_text('{"properties": {"b": {"type": "number"}}}')
        found = list(listing_problems(root))
        (root / "README.md").write_text("[docs](docs) is all of it, in 2 lines")
        (root / "docs/a.cpp").write_text("1\n2\n3\n")
        assert list(length_problems(root)) == ["README.md: docs has 3 lines, not 2"]
    assert len(found) == 3 and "'x'" in found[0] and "'y'" in found[2], found
    text = ("a\n\n    millrace x\n    X=1 y z\n\nb\n\n    $ other\n    what it writes\n\n<!-- form -->\n\n    NAME\n\n"
            "<!-- output of a b -->\n\n    c\n\n    d e\n")
    sources = [(source, lines) for _, source, lines in blocks(text)]
    assert [source for source, _ in sources] == [None, None, ("form", None), ("output", "a b")], sources
    found = [list(typed_problems(lines)) for _, lines in sources]
    assert [len(each) for each in found] == [0, 0, 1, 1] and "'NAME'" in found[2][0], found


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1] == "--listings":
        root = pathlib.Path(sys.argv[2])
        found = [*listing_problems(root), *length_problems(root)]
    else:
        found = follow_built(*map(pathlib.Path, sys.argv[1:3]))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()

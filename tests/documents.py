#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the documents promise a reader: links lead somewhere, those of README.md also where it is
installed, the glossary is in order and names no word twice, docs/design.md has each folder of src, and docs/performance.md is short.

Usage: documents.py ROOT, or documents.py --self-test
"""
import pathlib
import re
import sys
import tempfile

LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (?!word \|)([^|]+?) \|", re.MULTILINE)
OTHERS = re.compile(r"^[a-z]+:")  # https: and the like
# Beside README.md in an installation (cmake/Packages.cmake).
INSTALLED = {"docs", "examples", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"}
# docs/performance.md has results; what was tried goes to docs/experiments.md, how to measure to docs/bench.md.
RESULT_LINES = 150
# Of what others wrote, or what was built.
SKIPPED = re.compile(r"(^|/)(build[^/]*|\.[^/]+)/")


def anchor(heading):
    """As the web pages of repositories make it of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    seen = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        name = anchor(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name


def link_problems(root, file):
    text = file.read_text()
    for target in LINK.findall(FENCE.sub("", text)):
        if OTHERS.match(target):
            continue
        path, _, part = target.partition("#")
        there = (file.parent / path).resolve() if path else file
        if not there.exists():
            yield f"{file.relative_to(root)}: {target}: there is no such file"
        elif part and there.suffix == ".md" and part not in set(anchors(there.read_text())):
            yield f"{file.relative_to(root)}: {target}: there is no such heading"


def glossary_problems(root):
    words = ROW.findall((root / "docs/glossary.md").read_text())
    if not words:
        yield "docs/glossary.md: no words"
    for before, word in zip(words, words[1:]):
        if before.lower() >= word.lower():
            yield f"docs/glossary.md: '{word}' is not behind '{before}'"


def installed_problems(root):
    for target in LINK.findall(FENCE.sub("", (root / "README.md").read_text())):
        if not OTHERS.match(target) and target.split("#")[0].split("/")[0] not in INSTALLED | {""}:
            yield f"README.md: {target}: is not installed"


def folder_problems(root):
    text = (root / "docs/design.md").read_text()
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and not re.search(rf"^\| \S+ \| `src/{folder.name}[`/]", text, re.MULTILINE):
            yield f"docs/design.md: the table of folders has no src/{folder.name}"


def length_problems(root):
    lines = len((root / "docs/performance.md").read_text().splitlines())
    if lines > RESULT_LINES:
        yield f"docs/performance.md: {lines} lines, more than {RESULT_LINES}"


def problems(root):
    files = [file for file in sorted(root.rglob("*.md")) if not SKIPPED.search(str(file.relative_to(root)))]
    for file in files:
        yield from link_problems(root, file)
    yield from glossary_problems(root)
    yield from installed_problems(root)
    yield from folder_problems(root)
    yield from length_problems(root)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/glossary.md").write_text("| word | what |\n|---|---|\n| slot | a |\n| level | b |\n")
        (root / "docs/design.md").write_text("| 1 | `src/there` | |\n| 1 | `src/deep/er` | |\n")
        (root / "docs/performance.md").write_text("a\n" * (RESULT_LINES + 1))
        for name in ["there", "deep", "missing"]:
            (root / "src" / name).mkdir(parents=True)
        (root / "README.md").write_text("# A `b`, (c)\n[1](#a-b-c) [2](docs/glossary.md) [3](nothing.md) [4](#b)\n"
                                        "```\n# d\n[5](none)\n```\n[6](#d)\n[7](https://example.org/x)\n")
        found = list(problems(root))
    expected = ["README.md: nothing.md: there is no such file", "README.md: #b: there is no such heading",
                "README.md: #d: there is no such heading", "docs/glossary.md: 'level' is not behind 'slot'",
                "README.md: nothing.md: is not installed", "docs/design.md: the table of folders has no src/missing",
                "docs/performance.md: 151 lines, more than 150"]
    if found != expected:
        sys.exit("self-test: found\n  " + "\n  ".join(found))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        lines = list(problems(pathlib.Path(sys.argv[1]).resolve()))
        print("\n".join(lines))
        sys.exit(1 if lines else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the documents promise a reader:

- links lead somewhere, those of README.md also where it is installed, and what the code says of a document is there;
- README.md leads to each document, the glossary is in order and names no word twice, docs/design.md has each folder of src;
- docs/performance.md is short, measured times are in it or in a log, and documents but the logs tell no history;
- no sentence is too long to read (document_words.py), and names of the code are those of the code (document_names.py).

Usage: documents.py ROOT, or documents.py --self-test
"""
import os
import pathlib
import re
import sys
import tempfile

import document_names
import document_words

LINK = re.compile(r"\]\(([^()\s]+)\)|\s(?:src|href)=\"([^\"\s]+)\"")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (?!word \|)([^|]+?) \|", re.MULTILINE)
OTHERS = re.compile(r"^[a-z]+:")  # https: and the like
# Beside README.md in an installation (cmake/Packages.cmake).
INSTALLED = {"docs", "examples", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"}
# docs/performance.md has results; what was tried goes to docs/experiments.md, how to measure to docs/bench.md.
RESULT_LINES = 150
# Of what was tried and found, in the order of time.
LOGS = {"CHANGELOG.md", "docs/experiments.md", "docs/gpu.md", "docs/deqp.md"}
TIMES = LOGS | {"docs/performance.md"}
# Where code speaks of documents: by path alone, with an anchor, or with a heading.
CODE = ["src", "include", "tools", "tests", "bench", "examples", "scripts", "cmake"]
CODE_SUFFIXES = {".cpp", ".h", ".glsl", ".comp", ".py", ".sh", ".cmake", ".txt", ".html", ".js"}
MENTION = re.compile(r"\bdocs/([\w-]+\.md)(?:#([\w-]+)|, \"([^\"\n]+)\")?")
# Of what others wrote, or what was built.
SKIPPED = re.compile(r"^(build[^/]*|install|shared)$|(^|/)(\.[^/]+|__pycache__)$")


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


def links(text):
    return [marked or tagged for marked, tagged in LINK.findall(FENCE.sub("", text))]


def link_problems(root, file):
    text = file.read_text()
    for target in links(text):
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
    for target in links((root / "README.md").read_text()):
        if not OTHERS.match(target) and target.split("#")[0].split("/")[0] not in INSTALLED | {""}:
            yield f"README.md: {target}: is not installed"


def folder_problems(root):
    text = (root / "docs/design.md").read_text()
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and not re.search(rf"^\| \S+ \| `src/{folder.name}[`/]", text, re.MULTILINE):
            yield f"docs/design.md: the table of folders has no src/{folder.name}"


def unreached_problems(root):
    reached, ahead = set(), [root / "README.md"]
    while ahead:
        file = ahead.pop()
        if file in reached or not file.exists() or file.suffix != ".md":
            continue
        reached.add(file)
        ahead += [(file.parent / target.split("#")[0]).resolve() for target in links(file.read_text())]
    for file in sorted((root / "docs").glob("*.md")):
        if file not in reached:
            yield f"{file.relative_to(root)}: README.md does not lead to it"


def files_of(root):
    for folder, inner, names in os.walk(root):
        place = pathlib.Path(folder)
        inner[:] = sorted(name for name in inner if not SKIPPED.search(str((place / name).relative_to(root))))
        yield from (place / name for name in sorted(names))


def code_files(root):
    for file in files_of(root):
        if file.suffix in CODE_SUFFIXES and file.relative_to(root).parts[0] in CODE:
            yield file


def mention_problems(root):
    for file in code_files(root):
        if file.name == pathlib.Path(__file__).name:
            continue
        for name, part, heading in MENTION.findall(file.read_text(errors="replace")):
            document = root / "docs" / name
            if not document.exists():
                yield f"{file.relative_to(root)}: docs/{name}: there is no such file"
            elif (part or heading) and (part or anchor(heading)) not in set(anchors(document.read_text())):
                yield f"{file.relative_to(root)}: docs/{name}, {part or heading}: there is no such heading"


def word_problems(root, file):
    name, text = str(file.relative_to(root)), file.read_text()
    found = []
    if name not in LOGS:
        found += [*document_words.history_problems(text), *document_words.sentence_problems(text)]
    if name not in TIMES:
        found += document_words.time_problems(text)
    for problem in found:
        yield f"{name}:{problem}"


def name_problems(root, files):
    names = document_names.Names(root, list(files_of(root)))
    for file in files:
        if str(file.relative_to(root)) not in LOGS:
            for problem in document_names.problems(names, file):
                yield f"{file.relative_to(root)}:{problem}"


def length_problems(root):
    lines = len((root / "docs/performance.md").read_text().splitlines())
    if lines > RESULT_LINES:
        yield f"docs/performance.md: {lines} lines, more than {RESULT_LINES}"


def problems(root):
    files = [file for file in files_of(root) if file.suffix == ".md"]
    for file in files:
        yield from link_problems(root, file)
        yield from word_problems(root, file)
    yield from name_problems(root, files)
    yield from glossary_problems(root)
    yield from installed_problems(root)
    yield from folder_problems(root)
    yield from length_problems(root)
    yield from unreached_problems(root)
    yield from mention_problems(root)


# What each check must find, by file; and beside it what it must let pass.
FAULTY = {
    "README.md": "# A `b`, (c)\n[1](#a-b-c) [2](docs/glossary.md) [3](nothing.md) [4](#b)\n```\n# d\n[5](none)\n```\n"
                 "[6](#d)\n[7](https://example.org/x) [8](docs/design.md) [9](docs/words.md)\n"
                 "<img src=\"docs/absent.png\"> <a href=\"docs/performance.md\">x</a>\n",
    "docs/glossary.md": "| word | what |\n|---|---|\n| slot | a |\n| level | b |\n",
    "docs/design.md": "| 1 | `src/there` | |\n| 1 | `src/deep/er` | |\n",
    "docs/performance.md": "It took 5 ms.\n" * (RESULT_LINES + 1),
    "docs/words.md": "It no\nlonger waits, since `now` it\nused to. It is used to `wait 3 ms` for 4 s or 5 slots.\n\n"
                     "    since 7 ms\n\n```\ntoday\n```\n| today | 1.5 us |\n|---|---|\n\n"
                     "- " + "word " * 40 + "end.\n- " + "word " * 39 + "end.\n",
    "docs/lost.md": "[a](words.md)\n`there/a.h`, `there/b.h`, `src/there`, `src/nowhere`, `a::here()`, `a::gone`, `isHere()`,\n"
                    "`isGone()`, `MR_HERE`, `mr_gone()`, `*_test.cpp`\n```\n`src/nowhere`\n```\n",
    "docs/gpu.md": "[Since](lost.md) then 3 ms.\n",
    "src/there/a.h": "// docs/design.md, docs/none.md, docs/words.md#here and docs/lost.md, \"Here\"\n",
    "src/missing/a.cpp": "// docs/glossary.md\nhere isHere MR_HERE\n",
    "src/deep/er/a.cpp": "",
    "build-dev/docs/a.md": "since [a](none)\n",
    "src/there/building/b.h": "// docs/none.md\n",
}
EXPECTED = [
    "README.md: nothing.md: there is no such file", "README.md: #b: there is no such heading",
    "README.md: #d: there is no such heading", "README.md: docs/absent.png: there is no such file",
    *[f"docs/words.md:{problem}: a document says what is, not what was"
      for problem in ["1: 'no longer'", "2: 'since'", "3: 'used to'", "10: 'today'"]],
    "docs/words.md:13: a sentence of 41 words, more than 40: word word word word word word ...",
    *[f"docs/words.md:{problem}: times belong to docs/performance.md or docs/experiments.md"
      for problem in ["3: '4 s'", "10: '1.5 us'"]],
    *[f"docs/lost.md:{problem}: the code has no such name"
      for problem in ["2: 'there/b.h'", "2: 'src/nowhere'", "2: 'a::gone'", "3: 'isGone'", "3: 'mr_gone'"]],
    "docs/glossary.md: 'level' is not behind 'slot'", "README.md: nothing.md: is not installed",
    "docs/design.md: the table of folders has no src/missing", "docs/performance.md: 151 lines, more than 150",
    "docs/gpu.md: README.md does not lead to it", "docs/lost.md: README.md does not lead to it",
    "src/there/a.h: docs/none.md: there is no such file",
    "src/there/a.h: docs/words.md, here: there is no such heading",
    "src/there/a.h: docs/lost.md, Here: there is no such heading",
    "src/there/building/b.h: docs/none.md: there is no such file",
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in FAULTY.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = list(problems(root))
    if found != EXPECTED:
        sys.exit("self-test: found\n  " + "\n  ".join(found) + "\nand not\n  " +
                 "\n  ".join(set(EXPECTED) - set(found)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        lines = list(problems(pathlib.Path(sys.argv[1]).resolve()))
        print("\n".join(lines))
        sys.exit(1 if lines else 0)

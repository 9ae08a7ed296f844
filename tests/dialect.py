#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what clang-format does not see to everywhere: single statements have no braces, and increments are in front.

Usage: dialect.py ROOT, or dialect.py --self-test
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ("bench", "examples", "include", "src", "tests", "tools")
OPENS = re.compile(r"^(?P<indent> *)(?:if|for|while) \(.*\) \{$")
STATEMENT = re.compile(r"^ *(?!//|if |for |while |switch |do ).*;$")
# Behind a name, a call or an index, where its value is used by nobody.
INCREMENT = re.compile(r"(?:^ *|; )[A-Za-z_][\w.>()\[\]-]*(?:\+\+|--)(?:;|\)| \{)")


def problems(text):
    lines = text.split("\n")
    found = []
    for i, line in enumerate(lines):
        if INCREMENT.search(line):
            found.append((i + 1, "increments and decrements stand in front: ++i"))
        opens = OPENS.match(line)
        if not opens or i + 2 >= len(lines) or not STATEMENT.match(lines[i + 1]):
            continue
        # "} else {" keeps the braces of both.
        if lines[i + 2] == opens["indent"] + "}":
            found.append((i + 1, "a single statement has no braces"))
    return found


def check(root):
    failed = False
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for line, problem in problems(path.read_text(encoding="utf-8")):
                print(f"{path.relative_to(root)}:{line}: {problem}")
                failed = True
    return not failed


def self_test():
    wrong = ("for (int i = 0; i < 3; i++)\n    f();\n", "    a.b[i]++;\n", "if (x) {\n    f();\n}\n",
             "    while (x) {\n        f(y);\n    }\n")
    right = ("for (int i = 0; i < 3; ++i)\n    f();\n", "a[i++] = 3;\n", "if (x) {\n    f();\n    g();\n}\n",
             "if (x) {\n    f();\n} else {\n    g();\n    h();\n}\n", "for (;;) {\n    if (x)\n        f();\n}\n")
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "src").mkdir()
        for text, isWrong in [(text, True) for text in wrong] + [(text, False) for text in right]:
            (root / "src" / "a.cpp").write_text(text, encoding="utf-8")
            if check(root) == isWrong:
                sys.exit(f"dialect.py judges wrongly:\n{text}")


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) != 2:
    sys.exit(__doc__)
elif not check(pathlib.Path(sys.argv[1])):
    sys.exit(1)

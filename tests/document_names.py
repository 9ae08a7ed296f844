# SPDX-License-Identifier: Apache-2.0
"""Names of the code that a document has: files, folders, functions, macros. documents.py applies it."""
import pathlib
import re

FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?<![\w/.*])((?:[\w-]+/)*\w[\w-]*\.(?:h|cpp|glsl|comp|vert|frag|mesh|task|py|sh|cmake))\b")
FOLDER = re.compile(r"(?<![\w/.-])((?:src|include|tests|tools|bench|scripts|examples|cmake|docs)/[\w/-]*\w)(?![\w./*-])")
NAME = re.compile(r"\b(?:mr_\w+|MR_\w+|MILLRACE_\w+|\w+::\w+(?:::\w+)*)|\b[a-z]\w*[A-Z]\w*(?=\(\))")
# Forms of names, and what builds make.
NO_NAMES = {"MR_NAME", "MILLRACE_NAME", "nodes.h"}
SUFFIXES = {".h", ".cpp", ".glsl", ".comp", ".py", ".sh", ".cmake", ".txt", ".in", ".c"}


class Names:
    """What the files of a repository have: their paths, and the words in their text."""

    def __init__(self, root, files):
        self.root = root
        self.paths = ["/" + str(file.relative_to(root)) for file in files]
        self.words = set()
        for file in files:
            if file.suffix in SUFFIXES and not file.name.startswith("document"):
                self.words.update(re.findall(r"\w+", file.read_text(errors="replace")))

    def has_file(self, name):
        return any(path.endswith("/" + name) for path in self.paths)

    def has_folder(self, document, name):
        return any((place / name).exists() for place in (self.root, document.parent))


def problems(names, document):
    text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), document.read_text())
    for match in CODE.finditer(text):
        code, at = match[1], text.count("\n", 0, match.start()) + 1
        missing = [name for name in FILE.findall(code) if not names.has_file(name)]
        missing += [name for name in FOLDER.findall(code) if not names.has_folder(document, name)]
        missing += [name for name in NAME.findall(code) if name.split("::")[-1] not in names.words]
        for name in missing:
            if pathlib.PurePath(name).name not in NO_NAMES:
                yield f"{at}: '{name}': the code has no such name"

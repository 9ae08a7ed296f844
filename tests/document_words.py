# SPDX-License-Identifier: Apache-2.0
"""The words of a document: history, measured times and sentences that are too long. documents.py applies them."""
import re

FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
# What was once, and is not told to a reader of what is.
HISTORY = re.compile(r"\b(now|nowadays|no\s+longer|since|today|any\s*more|formerly|previously|currently|recently|at\s+present|"
                     r"so\s+far|(?<!is\s)(?<!are\s)(?<!be\s)(?<!been\s)used\s+to)\b", re.IGNORECASE)
TIME = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s|&nbsp;)?(?:ns|us|µs|ms|s|(?:nano|micro|milli)?seconds?|minutes?|hours?)\b")
SENTENCE_WORDS = 40
END = re.compile(r"(?<=[.:;?!])[)\"*]*\s+")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def blanked(match):
    """As many lines with nothing in them, so that lines keep their numbers."""
    return "\n" * match[0].count("\n")


def without_code(text):
    """No listings and indented blocks; code inside of a line is the word `x`; of a link its text."""
    text = FENCE.sub(blanked, text)
    text = re.sub(r"<!--.*?-->", blanked, text, flags=re.DOTALL)
    text = re.sub(r"(?<=\n\n)(?: {4}.*\n|\n)+", blanked, text)
    text = re.sub(r"`[^`]*`", lambda match: "x" + blanked(match), text)
    text = LINK.sub(r"\1", text)
    return re.sub(r"<[^>]+>", blanked, text)


def passages(text):
    """(number of the first line, text) of each paragraph, item of a list, cell of a table and heading."""
    number, collected = 0, []
    for at, line in enumerate([*text.split("\n"), ""], 1):
        is_row = line.startswith("|")
        if collected and (is_row or not line.strip() or ITEM.match(line) or line.startswith("#")):
            yield number, " ".join(collected)
            collected = []
        if is_row:
            yield from ((at, cell) for cell in line.split("|"))
        elif line.strip():
            number = at if not collected else number
            collected.append(ITEM.sub("", line, count=1) if not collected else line)


def found(pattern, text):
    """(number of the line, what was found)"""
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def history_problems(text):
    for at, word in found(HISTORY, without_code(text)):
        yield f"{at}: '{word}': a document says what is, not what was"


def time_problems(text):
    for at, figure in found(TIME, without_code(text)):
        yield f"{at}: '{figure}': times belong to docs/performance.md or docs/experiments.md"


def sentence_problems(text):
    for at, passage in passages(without_code(text)):
        for sentence in END.split(passage):
            words = len(sentence.split())
            if words > SENTENCE_WORDS:
                yield f"{at}: a sentence of {words} words, more than {SENTENCE_WORDS}: {' '.join(sentence.split()[:6])} ..."

# SPDX-License-Identifier: Apache-2.0
"""Runs programs that have a terminal, for tests."""

import os
import pathlib
import pty
import re
import select
import time

# Of every terminal, unless a test says otherwise.
ENVIRONMENT = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
ENVIRONMENT.pop("NO_COLOR", None)


class Terminal:
    """A program that has a terminal as input and outputs."""

    def __init__(self, *words, **variables):
        self.text = b""
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.execvpe(str(words[0]), [str(word) for word in words], {**ENVIRONMENT, **variables})

    def works(self):
        """Whether a process of it computes, or would if a processor were free."""
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:  # it has ended
                continue
            state, _, _, session = text[text.rindex(")") + 2:].split()[:4]  # the name may hold anything
            if int(session) == self.process and state in "RD":
                return True
        return False

    def read(self, seconds=3600, quiet=None, until=None):
        """Reads until the program ends, does nothing for `quiet` seconds, or has written what the pattern `until` matches."""
        end = time.monotonic() + seconds
        busy = time.monotonic()
        while time.monotonic() < end and not (until and re.search(until, self.text, re.DOTALL)):
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.file, 65536)
                except OSError:  # the program has ended
                    break
            elif quiet and not self.works():
                if time.monotonic() - busy > quiet:
                    break
                continue
            busy = time.monotonic()
        return self.text.decode()

    def write(self, text):
        os.write(self.file, text.encode())

    def close(self):
        os.close(self.file)  # hangs up
        os.waitpid(self.process, 0)


def terminal(*words, **variables):
    """What the program writes to its terminal."""
    program = Terminal(*words, **variables)
    text = program.read()
    program.close()
    return text

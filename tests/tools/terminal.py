# SPDX-License-Identifier: Apache-2.0
"""Runs programs that have a terminal, for tests."""

import os
import pty
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

    def read(self, seconds=60, quiet=None, until=None):
        """Reads until the program ends, writes nothing for `quiet` seconds, or has written `until`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until in self.text):
            if select.select([self.file], [], [], quiet or 0.1)[0]:
                try:
                    self.text += os.read(self.file, 65536)
                except OSError:  # the program has ended
                    break
            elif quiet:
                break
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

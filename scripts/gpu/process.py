# SPDX-License-Identifier: Apache-2.0
"""A program whose output is read while it runs, and that is ended when it says nothing for too long."""

import collections
import os
import select
import signal
import subprocess
import time


class Silent(Exception):
    """The program said nothing for as long as it may: it hangs."""


class TimeOver(Exception):
    """The time for everything is over, not this program's."""


class Process:
    def __init__(self, words, environment, quiet_seconds, end, cwd=None):
        """END is a time.monotonic() after which lines() raises TimeOver."""
        self.quiet_seconds = quiet_seconds
        self.end = end
        self.recent = collections.deque(maxlen=60)  # lines, for who looks into a failure
        self._unread = b""
        self._process = subprocess.Popen([str(word) for word in words], env=environment, cwd=cwd, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def say(self, line):
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended, which lines() tells

    def lines(self):
        """The lines to come, until the program closes its output."""
        quiet_end = time.monotonic() + self.quiet_seconds
        while True:
            line, newline, rest = self._unread.partition(b"\n")
            if newline:
                self._unread = rest
                quiet_end = time.monotonic() + self.quiet_seconds
                yield self._keep(line)
                continue
            now = time.monotonic()
            if now > quiet_end:
                raise Silent
            if now > self.end:
                raise TimeOver
            readable, _, _ = select.select([self._process.stdout], [], [], min(quiet_end, self.end) - now + 0.01)
            if readable:
                some = os.read(self._process.stdout.fileno(), 1 << 16)
                if not some:
                    break
                self._unread += some
        if self._unread:
            yield self._keep(self._unread)

    def _keep(self, line):
        text = line.decode(errors="replace")
        self.recent.append(text)
        return text

    def close_input(self):
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def status(self):
        """Of a program that has closed its output; ends one that goes on all the same."""
        try:
            return self._process.wait(self.quiet_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return "no end"

    def kill(self):
        """Does not wait for ever: a driver may keep a program that is dead."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(20)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def describe_status(status):
    if isinstance(status, int) and status < 0:
        try:
            return f"ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended by signal {-status}"
    return f"ended with status {status}"

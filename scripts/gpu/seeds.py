# SPDX-License-Identifier: Apache-2.0
"""Which seed a process of random graphs runs next."""

import collections
import threading

AHEAD = 360  # seeds that are there to choose from


def device_kind(seed):
    """Seeds of one kind run on one device of a process: random_graphs draws the path and the fusion from the seed so, where
    no option says them. If it did otherwise, devices would be made more often, and nothing else."""
    return seed % 2, seed // 6 % 3


class Seeds:
    """FIRST and those behind it, at most MOST. A process makes a device of each kind that it meets, and on it the pipelines
    that belong to no graph; so it goes on with the kind of its last seed as long as there are such seeds."""

    def __init__(self, first, most):
        self._next = first
        self._end = first + most
        self._waiting = collections.defaultdict(collections.deque)  # by kind
        self._lock = threading.Lock()

    def take(self, last):
        """LAST is what the process had before, or None. None if there are no more."""
        with self._lock:
            self._fill()
            waiting = self._waiting[device_kind(last)] if last is not None else None
            waiting = waiting or max(self._waiting.values(), key=len, default=None)
            return waiting.popleft() if waiting else None

    def _fill(self):
        while self._next < self._end and sum(map(len, self._waiting.values())) < AHEAD:
            self._waiting[device_kind(self._next)].append(self._next)
            self._next += 1

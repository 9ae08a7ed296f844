# SPDX-License-Identifier: Apache-2.0
"""Random graphs: each process is given one seed after the other."""

import re
import time

from kinds import Kind
from process import Silent, TimeOver, describe_status
from seeds import Seeds


MOST_FAILURES = 50  # after which nothing new is learned
PART = re.compile(r"(\w+) ([\d.]+) s \(processor ([\d.]+) s\)")


class Graphs(Kind):
    def __init__(self, name, report, first_seed, most, options):
        """OPTIONS are those of random_graphs."""
        super().__init__(name, report)
        self._seeds = Seeds(first_seed, most)
        self._options = options
        self._taken = set()
        self._unfinished = []
        self._parts = {}  # of the time: seconds by the clock and of the processor, of all processes that have ended
        self._timed = 0  # their graphs

    def line(self):
        parts = [super().line()]
        if self._taken:
            first, last = min(self._taken), max(self._taken)
            are_all = len(self._taken) == last - first + 1
            parts.append(f"seeds {first} to {last}" if are_all else f"{len(self._taken)} of the seeds {first} to {last}")
        if self._unfinished:
            parts.append(f"not finished in time: {' '.join(map(str, sorted(self._unfinished)))}")
        if self.ran:
            parts.append(f"{self.seconds / self.ran:.1f} s each")
        if self._timed:
            parts.append("of which " + "; ".join(
                f"{part} {wall / self._timed:.2f} (processor {processor / self._timed:.2f})"
                for part, (wall, processor) in self._parts.items()))
        return ", ".join(parts)

    def _take_seed(self, check, last):
        """None if there are enough."""
        if check.is_over() or len(self.failures) >= MOST_FAILURES:
            return None
        seed = self._seeds.take(last)
        if seed is not None:
            with self._lock:
                self._taken.add(seed)
        return seed

    def run(self, check):
        """Until the time is over. A process ends with the first failure, which may harm what it does next."""
        seed = self._take_seed(check, None)
        while seed is not None:
            seed = self._run_process(check, seed)

    def _run_process(self, check, seed):
        """From SEED on. Returns one that is left to the next process, or None."""
        process = check.start(["random_graphs", "--serve", *self._options])
        seeds = []
        try:
            while seed is not None:
                seeds.append(seed)
                passed = self._run_graph(process, seed)
                seed = self._take_seed(check, seed)
                if not passed:
                    return seed
            process.close_input()
            output = list(process.lines())
            status = process.status()
            self._add_times(output, len(seeds))
            if status != 0 and seeds:
                self._fail(seeds, "when the process ended: " + describe_status(status), output)
        except Silent:
            self._fail(seeds, f"the process does not end: no word for {process.quiet_seconds} s", process.recent)
        except TimeOver:
            pass
        finally:
            process.kill()
        return None

    def _add_times(self, output, graphs):
        """What a process that has run GRAPHS says of its time when it ends."""
        found = [part for line in output if line.startswith("parts: ") for part in PART.findall(line)]
        with self._lock:
            self._timed += graphs if found else 0
            for part, *seconds in found:
                old = self._parts.get(part, (0.0, 0.0))
                self._parts[part] = tuple(a + float(b) for a, b in zip(old, seconds))

    def _run_graph(self, process, seed):
        """Whether the process is good for another."""
        start, output = time.monotonic(), []
        process.say(seed)
        try:
            for line in process.lines():
                if line == f"seed {seed} passed":
                    self.add_pass()
                    return True
                if line == f"seed {seed} failed":
                    self._fail([seed], "failed", output)
                    return False
                output.append(line)
            self._fail([seed], describe_status(process.status()), output)
        except Silent:
            self._fail([seed], f"hangs: no word for {process.quiet_seconds} s", output)
        except TimeOver:
            with self._lock:
                self._unfinished.append(seed)
            raise
        finally:
            with self._lock:
                self.seconds += time.monotonic() - start
        return False

    def _fail(self, seeds, why, output):
        what = seeds[0] if len(seeds) == 1 else "after " + ",".join(map(str, seeds))
        words = ["random_graphs", *self._options, "--count", "1", "--seed", str(seeds[-1])]
        self.fail(what, why, words, output)

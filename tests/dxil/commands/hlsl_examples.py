#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graphs of examples/hlsl, run from files with inputs of the host and of the device, give what Python computes.

Usage: hlsl_examples.py MILLRACE EXAMPLES
"""
import csv
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

FORMS = ("host", "indirect", "indirect-count")  # of all dispatches; None: as the file says


def fan_out():
    """Two starts with rows of two threads per group."""
    return {"words": {"member0": [sum(sum(range(1, 2 * (y + 1) + 1)) for count in (3, 5) if y < count)
                                  for y in range(8)]}}


def tree_sum():
    return {"words": {"member0": [sum(range(1, 2 ** depth + 1)) if depth < 6 else 0 for depth in range(8)]}}


def sorting_office(folder):
    """What each box counts of all letters that come, by themselves or in sacks."""
    with open(folder / "letters.csv", encoding="utf-8") as file:
        mail = [(int(row["member0"]), int(row["member1"])) for row in csv.DictReader(file)] * 2
    mail += [(8, 5), (9, 5)]
    for letters, first in ((32, 5), (7, 100), (20, 1), (32, 7)):
        mail += [(first + i * i, i + 1) for i in range(letters)]
    words = []
    for box in range(4):
        taken = [(code, weight) for code, weight in mail if code % 4 == box]
        words += [len(taken), sum(weight for _, weight in taken), max(code for code, _ in taken)]
    return {"boxes": {"member0": words}}


class Mandelbrot:
    """The same squares, in the same fixed-point numbers."""
    SIZE, MOST, LEAST, ORIGIN, STEP = 256, 60, 8, (-9216, -6144), 48

    def __init__(self):
        self.picture = [[None] * self.SIZE for _ in range(self.SIZE)]
        self.squares = [0, 0]

    @functools.lru_cache(maxsize=None)
    def iterate(self, x, y):
        cx, cy = self.ORIGIN[0] + x * self.STEP, self.ORIGIN[1] + y * self.STEP
        zx = zy = 0
        for i in range(self.MOST):
            xx, yy = zx * zx >> 12, zy * zy >> 12
            if xx + yy > 4 * 4096:
                return i
            zx, zy = xx - yy + cx, 2 * (zx * zy >> 12) + cy
        return self.MOST

    def draw(self, x, y, count):
        shade = 0 if count == self.MOST else 255 - 4 * count
        self.picture[y][x] = [shade, shade, 64 if count == self.MOST else 255, 255]

    def square(self, left, top, size):
        far = size - 1
        border = {self.iterate(left + i, top + y) for i in range(size) for y in (0, far)}
        border |= {self.iterate(left + x, top + i) for i in range(size) for x in (0, far)}
        if len(border) > 1 and size > self.LEAST:
            for part in range(4):
                self.square(left + (part & 1) * (size // 2), top + (part >> 1) * (size // 2), size // 2)
            return
        self.squares[len(border) > 1] += 1
        for y in range(top, top + size):
            for x in range(left, left + size):
                self.draw(x, y, min(border) if len(border) == 1 else self.iterate(x, y))

    def results(self):
        self.square(0, 0, self.SIZE)
        return {"picture": self.picture, "squares": {"member0": self.squares}}


def run(tool, graph, expected, form, folder):
    check = folder / "expected.json"
    check.write_text(json.dumps({"results": {name: {"data": data} for name, data in expected.items()}}))
    command = [tool, "run", graph, "--check", check, "-o", folder] + (["--form", form] if form else [])
    result = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    if result.returncode != 0:
        sys.exit(f"{graph} {form or ''}: {result.stderr}")


def main():
    tool, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = {"fan_out": fan_out(), "tree_sum": tree_sum(), "mandelbrot": Mandelbrot().results(),
                "sorting_office": sorting_office(examples / "sorting_office")}
    found = sorted(path.name for path in examples.iterdir())
    if found != sorted(expected):
        sys.exit(f"not every example has its result here: {found}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for example, results in expected.items():
            for form in (None, *FORMS):
                run(tool, examples / example / "graph.json", results, form, folder)
            print(f"{example}: right in all forms")
        if not (folder / "mandelbrot.png").stat().st_size:
            sys.exit("no picture")


if __name__ == "__main__":
    main()

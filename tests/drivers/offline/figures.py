# SPDX-License-Identifier: Apache-2.0
"""figures.txt: what drivers make of shaders of the layer's, "GPU | group | name | figures" a line. A figure that is worse by
more than a tenth has to be looked at, and one that is better by as much has to be written down."""

import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parent / "figures.txt"


def known():
    """{GPU: {"group | name": figures}}."""
    out = {}
    for gpu, name, values in re.findall(r"^(\w+) \| (.+ \| \w+) \| ([\d ]+)$", PATH.read_text(), re.MULTILINE):
        out.setdefault(gpu, {})[name] = [int(value) for value in values.split()]
    return out


def add(statistics, found, name, values):
    """The worst where there are several of a name."""
    own = [values[statistic] for statistic in statistics]
    found[name] = [choose(pair) for choose, pair in zip(statistics.values(), zip(found.get(name, own), own))]


def lines(gpu, found):
    return [f"{gpu} | {name} | {' '.join(map(str, values))}" for name, values in sorted(found.items())]


def check(statistics, gpu, found):
    before = known()[gpu]
    assert found.keys() == before.keys(), (gpu, sorted(found.keys() ^ before.keys()))
    for name, values in found.items():
        for statistic, value, old in zip(statistics, values, before[name]):
            assert abs(value - old) <= old * 0.1, (
                f"{gpu}, {name}: {statistic} {value}, figures.txt has {old}; the script without a program prints new figures")

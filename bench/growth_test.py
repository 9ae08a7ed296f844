#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `bench_suite --growth` writes: series of time and scratch memory, and whether they are linear. Scratch memory is the
same on every device that takes the payloads at all, so its figures are checked; times are not. Argument: the program."""
import json
import pathlib
import subprocess
import sys
import tempfile


def measure(program):
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "result.json"
        done = subprocess.run([program, "--smallest", "--runs", "1", "--growth", "--only", "M2,M3,M6", "--json", file],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr
        return json.loads(file.read_text()), done.stdout


def check_case(case):
    """`least` completes anything; `oneSweep` has room for what payloads took, which are the live ones at least."""
    scratch, name = case["scratch"], case["case"]
    assert scratch["least"] > 0 and scratch["oneSweep"] >= scratch["least"], f"{name}: {scratch}"
    assert scratch["payloads"] <= scratch["oneSweep"] <= case["scratchBytes"], f"{name}: {scratch}"
    assert scratch["payloads"] >= scratch.get("live", 0), f"{name}: {scratch}"


def main():
    result, text = measure(sys.argv[1])
    series = {(each["workload"], each["axis"], each["what"]): each for each in result["growth"]}
    cases = [case for case in result["cases"] if "axis" in case]
    for case in cases:
        check_case(case)
    for workload, axis in {(case["workload"], case["axis"]) for case in cases}:
        for what in ("time", "time by hand", "scratch for one sweep", "least scratch"):
            assert "linear" in series[workload, axis, what], (workload, axis, what)
            assert axis in text and what in text, (axis, what)

    # Payloads of 16 bytes, and entries that many of them share.
    one_sweep = series["M3", "payloads in memory", "scratch for one sweep"]
    assert one_sweep["linear"] and abs(one_sweep["each"] - 16) < 0.5, one_sweep
    # Fused ones are in no memory.
    assert series["M3", "payloads", "scratch for one sweep"]["each"] < 0.1, series
    # Budgets are sixteen times what is sent; what is needed follows from what is sent.
    sparse = series["M6", "payloads of one invocation in 16", "scratch for one sweep"]
    assert sparse["linear"] and 7.5 < sparse["each"] < 16, sparse
    assert result["leftOut"] == [], result["leftOut"]


main()

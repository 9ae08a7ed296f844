#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `bench_suite --growth` says and writes: series of time and scratch memory, and whether they are linear; ratios that
goals name; and that `millrace report` reads it. Scratch memory does not depend on how fast a device is, so its figures are
checked; times are not. Arguments: both programs."""
import json
import pathlib
import subprocess
import sys
import tempfile


def measure(program, millrace):
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "result.json"
        done = subprocess.run([program, "--smallest", "--runs", "1", "--growth", "--only", "M2,M3,M5,M6", "--json", file],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr
        report = subprocess.run([millrace, "report", "--json", file], capture_output=True, text=True, check=False)
        assert report.returncode == 0, report.stderr
        return json.loads(file.read_text()), done.stdout, json.loads(report.stdout)


def check_case(case):
    """`least` completes anything; `oneSweep` has room for what payloads took, which are the live ones at least."""
    scratch, name = case["scratch"], case["case"]
    assert scratch["least"] > 0 and scratch["oneSweep"] >= scratch["least"], f"{name}: {scratch}"
    assert scratch["payloads"] <= scratch["oneSweep"] <= case["scratchBytes"], f"{name}: {scratch}"
    assert scratch["payloads"] >= scratch.get("live", 0), f"{name}: {scratch}"


def check_goals(result, text):
    """Of M5 each case is compared with a workgroup each, which is not always the best program by hand."""
    cases = [case for case in result["cases"] if case["workload"] == "M5"]
    medians = []
    for case in cases:
        times = {version["name"]: version["median"] for version in case["versions"]}
        goal = case["goal"]
        assert goal["version"] == "a workgroup each, list known", goal
        assert abs(goal["ratio"] - times["graph"] / times[goal["version"]]) < 1e-6, (goal, times)
        medians.append(times)
    assert text.count('against "a workgroup each, list known"') == len(cases) == 4, text
    for version in ("graph", "a workgroup each, list known"):
        name = f"skewed, with one of 3000 / without, {version}"
        figure, = [figure for figure in result["figures"] if figure["name"] == name]
        assert figure["unit"] == "" and abs(figure["value"] - medians[3][version] / medians[2][version]) < 1e-6, figure
        assert text.count(name) == 2, "where it is measured, and in the table"


def check_report(result, report):
    """Both say the same of the graph's series."""
    lines = {(series["workload"], series["axis"], series["what"]): line for series in report["growth"]
             for line in series["lines"] if line["is_graph"]}
    same = [each for each in result["growth"] if (each["workload"], each["axis"], each["what"]) in lines]
    assert len(same) == len(lines) > 10, (same, lines)
    for each in same:
        line = lines[each["workload"], each["axis"], each["what"]]
        assert line["linear"] == each["linear"] and abs(line["deviation"] - each["deviation"]) < 1e-6, (line, each)


def main():
    result, text, report = measure(*sys.argv[1:3])
    check_goals(result, text)
    check_report(result, report)
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

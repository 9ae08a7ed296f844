#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test of bench/cuda/ratios: the best version counts, what was not measured is estimated, bad input is refused.
Argument: the script."""
import json
import os
import subprocess
import sys
import tempfile


def result(cases, device="a device"):
    return {"device": {"name": device}, "cases": cases}


def case(workload, name, records, *versions):
    keys = ("role", "name", "median")
    out = [dict(zip(keys, version)) if version[2] else {"role": version[0], "name": version[1], "error": "refused"}
           for version in versions]
    return {"workload": workload, "case": name, "records": records, "versions": out}


CUDA = [
    case("W4", "small", 1000, ("plain", "p", 5), ("per record", "r", 400)),
    case("W4", "large", 50000, ("plain", "p", 20), ("aggregated", "slow", 90), ("aggregated", "fast", 60),
         ("per record", "r", None)),
]
GRAPH = [
    {"workload": "W4", "case": "small", "versions": [{"role": "hand", "name": "h", "median": 3},
                                                     {"role": "graph", "name": "graph", "median": 8}]},
    {"workload": "W4", "case": "large", "versions": [{"role": "graph", "name": "graph", "median": 40}]},
]


def run(script, cuda, millrace):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in (("cuda.json", cuda), ("millrace.json", millrace)):
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
        done = subprocess.run([sys.executable, script, *paths], capture_output=True, text=True, check=False)
        return done.returncode, [line.split() for line in done.stdout.splitlines()], done.stderr


def main():
    script = sys.argv[1]
    failures = []

    def expect(what, condition):
        if not condition:
            failures.append(what)

    status, lines, _ = run(script, result(CUDA), result(GRAPH))
    expect("status", status == 0)
    expect("measured", ["W4", "small", "per", "record", "400.0", "8.0", "50.00", "r"] in lines)
    expect("the fastest", ["W4", "large", "aggregated", "60.0", "40.0", "1.50", "fast"] in lines)
    expect("estimate", any(line[:7] == ["W4", "large", "per", "record", "20000.0", "40.0", "500.00"] and
                           line[-1] == "(estimated)" for line in lines))
    status, lines, _ = run(script, result(CUDA), result(GRAPH, "another device"))
    expect("other device", status == 0 and lines[0][0] == "note:")
    status, _, error = run(script, result(CUDA), result([]))
    expect("nothing in common", status == 1 and "none of these cases" in error)
    status, _, error = run(script, "{", result(GRAPH))
    expect("no JSON", status == 1 and "cuda.json" in error)
    status, _, error = run(script, result([{"workload": "W4"}]), result(GRAPH))
    expect("incomplete", status == 1 and "records" in error)
    for failure in failures:
        print("failed:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

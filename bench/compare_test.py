#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test of bench/compare: what it shows, and its exit status. Argument: the script."""
import json
import os
import subprocess
import sys
import tempfile


def result(ratio, idle, device="a device", size="full"):
    return {
        "date": "2026-01-01T00:00:00Z",
        "device": {"name": device, "driver": "d", "driverInfo": "1", "vulkan": "1.3.0", "validated": False},
        "environment": {},
        "size": size,
        "runs": 7,
        "unit": "us",
        "cases": [
            {
                "workload": "M1",
                "case": "8 levels",
                "ratio": ratio,
                "versions": [
                    {"name": "graph", "role": "graph", "median": 10 * ratio, "least": 1, "most": 99},
                    {"name": "direct", "role": "hand", "median": 10, "least": 1, "most": 99, "graphRatio": ratio},
                ],
            }
        ],
        "figures": [{"workload": "M2", "name": "an idle node", "value": idle, "unit": "us"}],
    }


def main():
    script = sys.argv[1]
    failures = []

    def expect(name, before, after, options, status, *parts):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("before.json", "after.json")]
            for path, content in zip(paths, (before, after)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content if isinstance(content, str) else json.dumps(content))
            done = subprocess.run([sys.executable, script, *paths, *options], capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if done.returncode != status:
            failures.append(f"{name}: exit status {done.returncode}, not {status}:\n{said}")
        failures.extend(f"{name}: no \"{part}\" in:\n{said}" for part in parts if part not in said)

    same = result(2, 0.1)
    expect("equal", same, same, ["--times"], 0, "0 of 4 moved")
    expect("worse ratio", same, result(3, 0.1), [], 0, "+50.0 %", "M1, 8 levels, graph / best by hand", "1 of 1 moved")
    expect("times", same, result(2, 0.2), ["--times"], 0, "+100.0 %", "M2, an idle node")
    expect("times are left out", same, result(2, 0.2), [], 0, "0 of 1 moved")
    expect("limit", same, result(3, 0.1), ["--fail-above", "20"], 1)
    expect("within the limit", same, result(2.2, 0.1), ["--fail-above", "20"], 0)
    expect("better", same, result(1, 0.1), ["--fail-above", "20"], 0, "-50.0 %")
    aimed, missed = result(2, 0.1), result(2, 0.1)
    aimed["cases"][0]["goal"], missed["cases"][0]["goal"] = ({"version": "all", "ratio": x} for x in (0.2, 0.3))
    expect("goal", aimed, missed, [], 0, "+50.0 %", "M1, 8 levels, graph / all", "1 of 2 moved")
    expect("other device", same, result(2, 0.1, device="another"), [], 0, "different name")
    expect("other size", same, result(2, 0.1, size="small"), [], 1, "different sizes")
    expect("not JSON", same, "nonsense", [], 1, "after.json")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace report` with results of bench/run: text, JSON, the page's parts, and what it says of files that are none:
usage: report_bench.py MILLRACE
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from bench_results import result

MILLRACE = sys.argv[1]


def report(*arguments, fails=None):
    done = subprocess.run([MILLRACE, "report", *map(str, arguments)], capture_output=True, text=True, check=False)
    if fails is None:
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert done.returncode != 0 and re.search(fails, done.stderr), f"{fails!r} is not in {done.stderr!r}"
    return done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        on, off, page = folder / "on.json", folder / "off.json", folder / "page.html"
        on.write_text(json.dumps(result()))
        off.write_text(json.dumps(result(slower=3, fusion="off")))

        text = report(on)
        # W13 is not one of the ten.
        mean = (49 / 423 * 220 / 62 * 37 / 56) ** (1 / 3)
        assert f"{mean:.2f}" in re.search("geometric mean.*", text).group(), text
        assert re.search("M3 +payloads +time +graph +linear within 10 %", text), text
        assert re.search("M1 +levels +time +graph +not linear", text), text
        # 20 us of 20 + 2e-6 n are a tenth from 90 M on, which is above all sizes; the 20,000 bytes are a tenth nowhere.
        assert re.search("M3 .*for one sweep +graph +linear.*each; 1.00 times as much each at 67108864 as at 1048576",
                         text), text
        assert re.search("M3 .*for one sweep +payloads alone +linear", text), text
        assert re.search("M3 +payloads +least scratch +graph +linear", text), text
        assert not re.search("M1 .*scratch", text), text
        both = json.loads(report("--json", on, off))
        assert len(both["results"]) == 2 and any(None in case["results"] for case in both["cases"]), both
        memory = [series for series in both["growth"] if series["unit"] == "bytes"]
        assert {series["what"] for series in memory} == {"scratch for one sweep", "scratch for payloads",
                                                         "least scratch"}, memory
        for line in memory[0]["lines"]:
            each = (16 if line["is_graph"] else 15)
            assert line["linear"] and abs(line["each"] / each - 1) < 0.01 and line["from"] == 1 << 20, line

        report(on, off, "-o", page)
        html = page.read_text()
        assert not re.search(r"""(src|href)=["']?http|@import|url\(http""", html), "the page loads something"
        assert "<script>alert(1)" not in html, "a name is not escaped"

        broken = folder / "broken.json"
        broken.write_text(json.dumps(result())[:-40])
        report(broken, fails=r"broken.json:1:\d+")
        wrong = result()
        wrong["cases"][2]["versions"][0]["median"] = "fast"
        broken.write_text(json.dumps(wrong, indent=1))
        report(broken, fails=r"broken.json:\d+:\d+: a number is expected, not a string")
        told = subprocess.run([MILLRACE, "report", broken, "--json"], capture_output=True, text=True, check=False)
        errors = json.loads(told.stdout)["errors"]
        assert [error["pointer"] for error in errors] == ["/cases/2/versions/0/median"], errors
        wrong = result()
        wrong["cases"][-1]["scratch"] = {"least": -1}
        broken.write_text(json.dumps(wrong))
        report(broken, fails="a number of bytes")
        wrong["cases"][-1]["scratch"] = {"least": 20, "oneSweep": 20, "payloads": 0}  # they are in no memory
        broken.write_text(json.dumps(wrong))
        assert re.search("M1 +levels +scratch for one sweep +graph +fewer", report(broken))
        report(on, folder / "missing.json", fails="missing.json")
        report(on, "-o", folder / "x.json", fails="only a trace")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for the programs of a packed folder: does under each name what FAKE_<NAME> says, as {"test": "deed"} in JSON.

Deeds are pass, fail, skip, crash, hang; write, which fails where the file is there already; "300 shaders", which fails
where others are asked for; of the end of a program, under "end", fail."""

import json
import os
import pathlib
import sys
import time

NAME = pathlib.Path(sys.argv[0]).name
DEEDS = json.loads(os.environ.get(f"FAKE_{NAME.upper()}", "{}"))


def say(text):
    print(text, flush=True)


def do(deed):
    if deed == "crash":
        os.abort()
    if deed == "hang":
        time.sleep(1000)
    if deed == "write":
        file = pathlib.Path(os.environ["TEST_TMPDIR"], "file")
        if file.exists():
            return True
        file.touch()
    if deed == "300 shaders":
        return os.environ.get("MILLRACE_TEST_MESH_COUNT") != "300"
    return deed == "fail"


def google_test():
    tests = [name for name in DEEDS if name != "end"]
    if "--gtest_list_tests" in sys.argv:
        say("Suite.")
        for test in tests:
            say(f"  {test}  # GetParam() = ({test}, 1)")
        return 0
    wanted = sys.argv[1].removeprefix("--gtest_filter=").split(":")
    failed, skipped = 0, 0
    for test in tests:
        if f"Suite.{test}" not in wanted:
            continue
        say(f"[ RUN      ] Suite.{test}")
        say(f"what {test} says")
        if do(DEEDS[test]):
            failed += 1
            say(f"[  FAILED  ] Suite.{test}, where GetParam() = ({test}, 1) (3 ms)")
        elif DEEDS[test] == "skip":
            skipped += 1
            say(f"[  SKIPPED ] Suite.{test} (0 ms)")
        else:
            say(f"[       OK ] Suite.{test} (2 ms)")
    say("[==========] some tests ran.")
    return 1 if failed or skipped == len(wanted) or do(DEEDS.get("end")) else 0


def random_graphs():
    for line in sys.stdin:
        seed = int(line)
        time.sleep(0.01)
        if do(DEEDS.get(str(seed), DEEDS.get("all", "pass"))):
            say(f"FAILED seed {seed}\n  direct path, minimum scratch, indirect dispatch, fusion on\n    12 of 256 sums differ\n"
                f"seed {seed} failed")
        else:
            say(f"seed {seed} passed")
    say("parts: oracle 2.00 s (processor 1.00 s), devices 0.40 s (processor 0.80 s)")
    return 1 if do(DEEDS.get("end")) else 0


def millrace():
    if sys.argv[1] == "info":
        say(json.dumps({"devices": [{"name": "a processor", "type": "cpu", "driver": "slow 1"},
                                    {"name": "a card", "type": "discrete", "driver": "fast 2"}]}))
    return 0


if __name__ == "__main__":
    sys.exit({"millrace": millrace, "random_graphs": random_graphs}.get(NAME, google_test)())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `millrace dxil --validate` with Microsoft's validator: not part of the tests, since it needs that one.

Usage: check_validator.py MILLRACE DRIVER [DXC_GIT_DIRECTORY]

DRIVER is a program that takes "@ LIST", a file of lines of tab-separated arguments: c IN OUT ERRORS OPTIONS... compiles,
a IN OUT ERRORS assembles, v IN - ERRORS validates; for each it prints "IN OK" or "IN FAIL". With a checkout of DXC its
tests of native vectors are compared first. The programs of vector_programs.py always are. Prints how many verdicts are
the same, and each that is not.
"""
import collections
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import vector_programs

TESTS = "tools/clang/test/"
ASSEMBLY = re.compile(r"(CodeGenDXIL/passes/(longvec-.*|dxil-convergence-sm69)|LitDXILValidation/(vector-validation|"
                      r"load-store-validation|lv_illegalDxilOp|validate_isspecialfloat|int-width-validation|"
                      r"GroupShared/tgsm-chained-gep.*)|DXC/Passes/DxilSimplify/vectorreduce-const-fold)\.ll$")
SOURCES = re.compile(r"(CodeGenDXIL/(hlsl/types|passes)/longvec-.*|CodeGenDXIL/hlsl/intrinsics/(buffer-load-stores-sm69|"
                     r"IsSpecialFloat6\.9)|DXILValidation/(vector|load-store)-validation)\.hlsl$")


def drive(driver, jobs, folder):
    """Runs all jobs, those behind one that crashes the driver too. Gives the verdict on each input file."""
    verdicts = {}
    while jobs:
        listed = folder / "jobs.tsv"
        listed.write_text("".join("\t".join(map(str, job)) + "\n" for job in jobs))
        said = subprocess.run([driver, "@", listed], capture_output=True, text=True, errors="replace", check=False).stdout
        done = [line.split() for line in said.splitlines()]
        done = [line for line in done if len(line) > 1 and "OK" in line[1:3] or "FAIL" in line[1:3]]
        for line in done:
            verdicts[line[0]] = "OK" in line[1:3]
        jobs = jobs[len(done) + 1:]
    return verdicts


def validate(driver, programs, folder):
    """Microsoft's verdict on each program, and what it says."""
    verdicts = drive(driver, [("v", path, "-", f"{path}.txt") for path in programs], folder)
    out = {}
    for path in programs:
        said = pathlib.Path(f"{path}.txt")
        text = said.read_bytes().decode(errors="replace").replace("\0", "") if said.exists() else ""
        out[path] = (verdicts.get(str(path)), text)
    return out


def tests_of_dxc(driver, git_directory, folder):
    git = ["git", "--git-dir", git_directory]
    paths = subprocess.run([*git, "ls-tree", "-r", "HEAD", "--name-only", TESTS], capture_output=True, text=True,
                           check=True).stdout.split()
    jobs = []
    for path in paths:
        if not (ASSEMBLY.search(path) or SOURCES.search(path)):
            continue
        text = subprocess.run([*git, "show", "HEAD:" + path], capture_output=True, text=True, check=True).stdout
        name = path.removeprefix(TESTS).replace("/", "+")
        source = folder / name
        source.write_text(text)
        if path.endswith(".ll"):
            jobs.append(("a", source, folder / f"{name}.dxil", folder / f"{name}.txt"))
            continue
        for number, run in enumerate(re.findall(r"RUN: *%dxc (.*?)(?:\||$)", text, re.MULTILINE)):
            options = [o for o in shlex.split(run) if o not in ("%s", "-fcgl", "-ast-dump-implicit")]
            copy = folder / f"{number}.{name}"
            copy.write_text(text)
            if "-fcgl" not in run and "-ast-dump" not in run:
                jobs.append(("c", copy, folder / f"{number}.{name}.dxil", folder / f"{name}.txt", *options))
    verdicts = drive(driver, jobs, folder)
    made = [job[2] for job in jobs if job[2].exists()]
    print(f"DXC's tests: {len(made)} of {len(jobs)} assembled or compiled, {list(verdicts.values()).count(False)} refused")
    return made


def assemble(driver, texts, folder):
    jobs = []
    for name, text in texts.items():
        (folder / f"{name}.ll").write_text(text)
        jobs.append(("a", folder / f"{name}.ll", folder / f"{name}.dxil", folder / f"{name}.txt"))
    drive(driver, jobs, folder)
    return {name: folder / f"{name}.dxil" for name in texts if (folder / f"{name}.dxil").exists()}


def generated(driver, folder):
    """Programs whose flags are as the validator wants them, since flags are not what is compared."""
    texts = dict(vector_programs.programs())
    made = assemble(driver, texts, folder)
    said = validate(driver, made.values(), folder)
    again = {}
    for name, path in made.items():
        flags = re.search(r"declared=(\d+), actual=(\d+)", said[path][1])
        if flags:
            again[name] = vector_programs.with_flags(texts[name], int(flags.group(2)))
    made |= assemble(driver, again, folder)
    print(f"generated programs: {len(made)} of {len(texts)} assembled")
    return list(made.values())


def compare(tool, driver, programs, folder):
    reference = validate(driver, programs, folder)
    counts = collections.Counter()
    for path in programs:
        wanted, why = reference[path]
        if wanted is None:
            counts["crashed the reference"] += 1
            continue
        ours = subprocess.run([tool, "dxil", "--validate", path], capture_output=True, text=True, errors="replace",
                              check=False)
        got = ours.returncode == 0
        counts["accepted" if wanted else "rejected"] += 1
        counts["same"] += got == wanted
        if got != wanted:
            reason = ours.stderr if wanted else re.sub(r"\s+", " ", why)
            print(f"{path.name}: {'accepted' if wanted else 'rejected'} by the reference, not here: {reason.strip()[:300]}")
    total = counts["accepted"] + counts["rejected"]
    print(f"{counts['same']} of {total} verdicts are the same ({100 * counts['same'] / max(1, total):.1f} %); the reference "
          f"accepts {counts['accepted']} and rejects {counts['rejected']}")


def main():
    tool, driver = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if len(sys.argv) > 3:
            compare(tool, driver, tests_of_dxc(driver, sys.argv[3], folder), folder)
        compare(tool, driver, generated(driver, folder), folder)


if __name__ == "__main__":
    main()

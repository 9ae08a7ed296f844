#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Translates the HLSL tests of others: DXC's of native vectors, and dxil-spirv's. Not part of the tests, since it needs
their checkouts and Microsoft's compiler.

Usage: check_translations.py MILLRACE DRIVER --dxc GIT_DIRECTORY --dxil-spirv GIT_DIRECTORY [--keep FOLDER]
                             [--whole SPIRV_VAL]

DRIVER is that of check_validator.py. Of DXC's tests each line that compiles for shader model 6.9 is a case; of dxil-spirv's
each compute, mesh and amplification shader and each node, compiled as that project does. Prints what does not translate to
valid SPIR-V, and why, and the counts. With --whole vectors stay whole, and the corpus and the vector programs are cases too;
SPIRV_VAL is a validator that knows SPV_EXT_long_vector.
"""
import argparse
import collections
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import check_validator

CORPUS = pathlib.Path(__file__).parents[1] / "data/corpus"
MODELS = {".comp": "cs", ".mesh": "ms", ".task": "as"}


def listed(git_directory, folder):
    git = ["git", "--git-dir", git_directory]
    return subprocess.run([*git, "ls-tree", "-r", "HEAD", "--name-only", folder], capture_output=True, text=True,
                          check=True).stdout.split()


def read(git_directory, path):
    return subprocess.run(["git", "--git-dir", git_directory, "show", "HEAD:" + path], capture_output=True, check=True).stdout


def cases_of_dxc(git_directory, folder):
    """Name and job of each RUN line for 6.9 that makes DXIL."""
    for path in listed(git_directory, check_validator.TESTS):
        if not check_validator.SOURCES.search(path):
            continue
        content = read(git_directory, path)
        for number, run in enumerate(re.findall(r"RUN: *%dxc (.*?)(?:\||$)", content.decode(), re.MULTILINE)):
            options = [option for option in shlex.split(run) if option != "%s"]
            if "-fcgl" in options or not re.search(r"[a-z]s_6_9|lib_6_9", run):
                continue
            source = folder / f"{number}.{path.removeprefix(check_validator.TESTS).replace('/', '+')}"
            source.write_bytes(content)
            model = re.search(r"([a-z]+)_6_9", run).group(1)
            yield f"DXC, {model}", ("c", source, source.with_suffix(".dxil"), source.with_suffix(".txt"), *options)


def cases_of_dxil_spirv(git_directory, folder):
    for path in listed(git_directory, "shaders"):
        # Files that others include lie beside them.
        source = folder / path
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_bytes(read(git_directory, path))
        model = MODELS.get(source.suffix)
        if not model:
            continue
        minor = next((m for m in (0, 6, 7) if f".sm6{m}." in path), 5)
        profile = "lib_6_8" if ".node." in path else f"{model}_6_{minor}"
        options = ["-T", profile, "-Vd"] + (["-enable-16bit-types"] if minor >= 2 else [])
        options += [] if ".node." in path else ["-E", "main"]
        options += ["-no-legacy-cbuf-layout"] if ".no-legacy-cbuf-layout." in path else []
        made = folder / (path.replace("/", "+") + ".dxil")
        kind = "node" if ".node." in path else model
        yield f"dxil-spirv, {kind}", ("c", source, made, made.with_suffix(".txt"), *options)


def translate(tool, container, target, validator=None):
    # A file, or of libraries a folder.
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    whole = ["--whole-vectors"] if validator else []
    result = subprocess.run([tool, "dxil", *whole, container, "-o", target], capture_output=True, text=True,
                            errors="replace", check=False)
    if result.returncode != 0:
        return False, result.stderr.strip().rsplit(".dxil: ", maxsplit=1)[-1]
    modules = sorted(target.iterdir()) if target.is_dir() else [target]
    for module in modules if validator else []:
        # Offsets that are not constant are of VK_KHR_maintenance8. Modules to link with are for no API.
        for environment in (["--target-env", "vulkan1.3", "--allow-offset-texture-operand"], ["--target-env", "spv1.6"]):
            said = subprocess.run([validator, *environment, module], capture_output=True, text=True, check=False)
            if "Capability Linkage" not in said.stdout + said.stderr:
                break
        if said.returncode != 0:
            return False, (said.stdout + said.stderr).strip()
    return True, ""


def check_own(tool, validator, folder, counts):
    """The corpus and the vector programs."""
    for kind in ("corpus", "vectors"):
        for made in sorted((CORPUS.parent / kind).rglob("*.dxil")):
            count = counts[f"own, {kind}"]
            count[0] += 1
            count[1] += 1
            done, reason = translate(tool, made, folder / "translated", validator)
            count[2] += done
            if not done:
                print(f"own, {kind}: {made.name}: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("driver")
    parser.add_argument("--dxc")
    parser.add_argument("--dxil-spirv")
    parser.add_argument("--keep", help="a folder for the compiled programs")
    parser.add_argument("--whole", metavar="SPIRV_VAL", help="keep vectors whole and validate with this")
    arguments = parser.parse_args()
    counts = collections.defaultdict(lambda: [0, 0, 0])  # cases, compiled, translated
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(arguments.keep or name)
        cases = []
        if arguments.dxc:
            cases += cases_of_dxc(arguments.dxc, folder)
        if arguments.dxil_spirv:
            cases += cases_of_dxil_spirv(arguments.dxil_spirv, folder)
        check_validator.drive(arguments.driver, [job for _, job in cases], folder)
        for kind, job in cases:
            made = job[2]
            counts[kind][0] += 1
            if not made.exists():
                continue
            counts[kind][1] += 1
            done, reason = translate(arguments.tool, made, folder / "translated", arguments.whole)
            counts[kind][2] += done
            if not done:
                print(f"{kind}: {made.name}: {reason}")
        if arguments.whole:
            check_own(arguments.tool, arguments.whole, folder, counts)
    for kind, (all_of_them, compiled, translated) in sorted(counts.items()):
        print(f"{kind}: {translated} of {compiled} that compile, of {all_of_them}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles vectors/*.hlsl for types and lengths: BODY.TYPE.LENGTH[.shared].dxil. Needs Microsoft's compiler, which neither
the build nor the tests do.

Usage: compile_vectors.py DRIVER [FOLDER]

Without a folder those that the tests have by default, beside the sources; with one all, for
MILLRACE_VECTORS=FOLDER test_dxil. DRIVER is that of check_validator.py.
"""
import pathlib
import subprocess
import sys
import tempfile

VECTORS = pathlib.Path(__file__).parents[1] / "data/vectors"
TYPES = {"f16": "float16_t", "f32": "float", "f64": "double", "i16": "int16_t", "u16": "uint16_t", "i32": "int",
         "u32": "uint", "i64": "int64_t", "u64": "uint64_t"}
BODIES = {"float": ("f16", "f32"), "close": ("f16", "f32"), "double": ("f64",),
          "integer": ("i16", "u16", "i32", "u32", "i64", "u64"), "bits": ("u16", "u32", "u64"),
          "signs": ("i16", "i32", "i64"), "waves": ("f16", "f32", "f64", "i16", "u32", "i64"),
          "wave_bits": ("u32", "u64"), "quads": ("f32", "u16", "i64")}
LENGTHS = (2, 3, 4, 5, 8, 16, 64, 1024)
SLOTS = 48
LANES = 32
SHARED_BYTES = 32768


# Of lengths that are arrays, by default: one of each body with 64 elements, and some with 1024.
LONG = {"float.f32.64.shared", "close.f16.64", "double.f64.64", "integer.i64.64.shared", "bits.u16.64", "signs.i32.64.shared",
        "waves.f32.64", "wave_bits.u64.64.shared", "quads.u16.64", "signs.i16.1024", "quads.f32.1024", "wave_bits.u32.1024"}


def wanted(everything):
    """All, or for each body and type two of the short lengths, one shared and one not, and those above."""
    number = 0
    for body, types in BODIES.items():
        for kind in types:
            number += 1
            some = ((LENGTHS[number % 5], number % 2 == 0), (LENGTHS[(number + 2) % 5], number % 2 == 1))
            every = tuple((length, shared) for length in LENGTHS for shared in (False, True))
            for length, shared in every:
                stem = f"{body}.{kind}.{length}" + (".shared" if shared else "")
                if everything or (length, shared) in some or stem in LONG:
                    yield body, kind, length, shared, stem


def main():
    driver = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else VECTORS
    with tempfile.TemporaryDirectory() as name:
        sources = pathlib.Path(name)
        jobs = []
        for body, kind, length, shared, stem in wanted(len(sys.argv) > 2):
            around = "waves_main" if body in ("waves", "wave_bits", "quads") else "main"
            text = (VECTORS / f"{around}.hlsl").read_text().replace("BODY\n", (VECTORS / f"{body}.hlsl").read_text())
            (sources / f"{stem}.hlsl").write_text(text)
            defines = [f"-DT={TYPES[kind]}", f"-DN={length}", f"-DSLOTS={SLOTS}", f"-DLANES={LANES}"]
            if shared:
                together = min(LANES, SHARED_BYTES // (int(kind[1:]) // 8 * length))
                defines += ["-DSHARED", f"-DTOGETHER={together}"]
            jobs.append(["c", sources / f"{stem}.hlsl", folder / f"{stem}.dxil", sources / f"{stem}.txt", "-T", "cs_6_9", "-E",
                         "main", "-enable-16bit-types", *defines])
        (sources / "jobs.tsv").write_text("".join("\t".join(map(str, job)) + "\n" for job in jobs))
        said = subprocess.run([driver, "@", sources / "jobs.tsv"], capture_output=True, text=True, errors="replace",
                              check=False).stdout
        failed = [line.split()[0] for line in said.splitlines() if " FAIL " in line]
        for path in failed:
            print(pathlib.Path(path).with_suffix(".txt").read_bytes().decode(errors="replace")[:800])
        print(f"{len(jobs) - len(failed)} of {len(jobs)} compiled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

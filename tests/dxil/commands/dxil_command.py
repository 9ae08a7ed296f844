#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace dxil` on good files, on wrong ones, and on good ones with bits flipped: a result or a reason each time.

Usage: dxil_command.py MILLRACE CORPUS [COUNT [SEED]]
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 10


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, timeout=3600, check=False)


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def test_good(tool, corpus, folder):
    out = folder / "bits.spv"
    result = run(tool, "dxil", corpus / "scalar/bits.dxil", "-o", out)
    check(result.returncode == 0 and out.read_bytes()[:4] == b"\x03\x02\x23\x07", "a compute shader becomes a file")
    result = run(tool, "dxil", corpus / "nodes/node_array.dxil", "-o", folder / "nodes")
    names = sorted(path.name for path in (folder / "nodes").iterdir())
    check(names == ["choose.spv", "first.spv", "third.spv"], "a library becomes a folder")
    result = run(tool, "dxil", corpus / "nodes/node_array.dxil", "--entry", "first", "--asm")
    check(result.returncode == 0 and b"CoalescingAMDX" in result.stdout, "one entry point as text")
    result = run(tool, "dxil", corpus / "scalar/bits.dxil", "--asm", "--shifts", "7", "8", "9", "10")
    listed = json.loads(run(tool, "dxil", corpus / "compute/root_signature.dxil", "--json").stdout)
    places = {r["class"] + str(r["register"]): r for r in listed["resources"]}
    check(places["u0"]["addressOffset"] == 16 and places["b0"]["pushConstantOffset"] == 0, "root parameters")
    check((places["u1"]["set"], places["b1"]["binding"]) == (0, 1), "descriptor tables")
    listed = json.loads(run(tool, "dxil", corpus / "compute/root_signature.dxil", "--json", "--no-root-signature").stdout)
    check(all("set" in r for r in listed["resources"]), "no root signature")
    given = run(tool, "dxil", corpus / "scalar/bits.dxil", "--json", "--root-signature", corpus / "compute/root_signature.dxil")
    check(json.loads(given.stdout)["pushConstantBytes"] == 32, "a root signature from elsewhere")
    listed = json.loads(run(tool, "dxil", corpus / "nodes/node_array.dxil", "--json").stdout)["entryPoints"]
    check([(e["function"], e["entryPoint"], e["node"]["index"]) for e in listed if e["function"] == "third"] ==
          [("third", "leaf", 3)], "a node is named after its id")
    state = json.loads(run(tool, "dxil", corpus / "compute/wave_size.dxil", "--json").stdout)["pipelineState"]
    check((state["kind"], state["function"], state["threads"], state["waveLanes"]) == ("compute", "main", [8, 4, 2], [4, 64]),
          "what the container tells a driver")
    check([(r["class"], r["register"], r["space"], r["count"]) for r in state["resources"]] ==
          [("t", 2, 3, "unbounded"), ("u", 0, 0, 1)], "resources that the container tells of")
    forms = [run(tool, "dxil", corpus / "scalar/vector_select_64.dxil", "--asm", "--split-up-to", n).stdout for n in ("16", "64")]
    check(b"OpTypeVector %uint 4" not in forms[0] and b"OpTypeVector %uint 4" in forms[1], "vectors that are split as asked")
    check(b"Binding 7" in result.stdout and b"Binding 8" in result.stdout, "shifts move bindings")


def test_rules(tool, corpus):
    check(run(tool, "dxil", "--validate", corpus / "compute/vector_memory.dxil").returncode == 0, "no rule is broken")
    broken = corpus.parent / "rules/fdot_v4f64.dxil"
    result = run(tool, "dxil", "--validate", broken)
    check(result.returncode == 1 and b"FDot of <4 x double>. [INSTR.OLOAD]" in result.stderr, "a broken rule is named")
    listed = json.loads(run(tool, "dxil", "--validate", "--json", broken).stdout)["errors"]
    check("dx.op.dot.v4f64" in listed[0]["where"], "a broken rule as JSON")


def test_bad(tool, corpus, folder):
    for content in (b"", b"DXBC", b"text", (corpus / "scalar/bits.dxil").read_bytes()[:1000]):
        path = folder / "bad.dxil"
        path.write_bytes(content)
        result = run(tool, "dxil", path, "-o", folder / "bad.spv")
        check(result.returncode == 1 and b"error" in result.stderr, f"{len(content)} bytes are refused")
    listed = json.loads(run(tool, "dxil", folder / "bad.dxil", "--json").stdout)["errors"]
    check(len(listed) == 1 and set(listed[0]) == {"source", "where", "message"}, "errors as JSON")
    check(run(tool, "dxil", folder / "absent").returncode == 1, "an absent file is refused")
    check(run(tool, "dxil", corpus / "scalar/bits.dxil", "--entry", "nobody").returncode == 1, "no such entry point")
    result = run(tool, "dxil", "--whole-vectors", corpus / "compute/vector_memory.dxil", "--asm")
    check(result.returncode == 0 and b"OpCapability LongVectorEXT" in result.stdout, "vectors stay whole")
    check(b"not validated" in result.stderr, "whole vectors come with a note")
    damaged = bytearray((corpus / "compute/wave_size.dxil").read_bytes())
    damaged[damaged.index(b"PSV0") + 8 + 4 + 36] = 64
    path.write_bytes(damaged)
    result = run(tool, "dxil", path, "-o", folder / "bad.spv")
    check(result.returncode == 1 and b"64 x 4 x 2 of the size of a group, the program 8 x 4 x 2" in result.stderr,
          "a container that contradicts its program")
    check(run(tool, "dxil").returncode == 2, "wrong usage is 2")


def test_flipped(tool, corpus, folder, count, seed):
    """Malformed bitcode may crash the reader, which must stay in its own process."""
    files = sorted(corpus.glob("*/*.dxil"))
    generator = random.Random(seed)
    outcomes = {0: 0, 1: 0}
    for number in range(count):
        content = bytearray(generator.choice(files).read_bytes())
        for _ in range(generator.choice((1, 1, 4, 32))):
            at = generator.randrange(len(content))
            content[at] ^= 1 << generator.randrange(8)
        path = folder / "flipped.dxil"
        path.write_bytes(content)
        result = run(tool, "dxil", path, "-o", folder / "flipped", "--time-limit", str(LIMIT_SECONDS))
        check(result.returncode in outcomes, f"file {number} of seed {seed} ends with {result.returncode}")
        check(result.returncode == 0 or b"error" in result.stderr, f"file {number} of seed {seed} says why")
        outcomes[result.returncode] += 1
        if (folder / "flipped").is_dir():
            for made in (folder / "flipped").iterdir():
                made.unlink()
            (folder / "flipped").rmdir()
    print(f"{count} files with bits flipped: {outcomes[0]} translated, {outcomes[1]} refused")


def main():
    tool = sys.argv[1]
    corpus = pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 150
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_good(tool, corpus, folder)
        test_rules(tool, corpus)
        test_bad(tool, corpus, folder)
        test_flipped(tool, corpus, folder, count, seed)


if __name__ == "__main__":
    main()

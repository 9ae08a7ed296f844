#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace advise` from outside: usage: advise_command.py MILLRACE FOLDER_OF_SHADERS DXIL_CORPUS"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MILLRACE, SHADERS, CORPUS = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def run(*arguments, status=0):
    result = subprocess.run([MILLRACE, "advise", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert result.returncode == status, (arguments, result.returncode, result.stdout, result.stderr)
    return result


def advice(*arguments, status=0):
    return json.loads(run(*arguments, "--json", status=status).stdout)


class AdviseCommand(unittest.TestCase):
    def test_json_has_facts_plans_and_findings(self):
        document = advice(SHADERS / "strided_mesh.spv")
        self.assertEqual(document["errors"], [])
        [shader] = document["shaders"]
        self.assertEqual((shader["stage"], shader["entry_point"], shader["topology"]), ("mesh", "main", "triangles"))
        self.assertEqual((shader["invocations"], shader["max_vertices"], shader["max_primitives"]), (32, 64, 126))
        self.assertEqual(shader["shared"], [{"name": "exchanged", "bytes": 256}])
        [uv] = [output for output in shader["outputs"] if output["name"] == "uv"]
        self.assertEqual((uv["location"], uv["words"], uv["written_by_others"]), (1, 2, True))
        self.assertEqual([place["line"] for place in uv["places"]], [21])
        self.assertEqual([plan["gpu"] for plan in shader["gpus"]], ["gfx10.3", "gfx11", "gfx11-small", "gfx12"])
        for plan in shader["gpus"]:
            lds = plan["lds"]
            parts = [lds[part + "_bytes"] for part in ("shared", "payload", "info", "vertex", "primitive", "index", "cull")]
            self.assertEqual(sum(parts), lds["used_bytes"])
            self.assertEqual([waves["wave_size"] for waves in plan["waves"]], [64, 32])
        self.assertIn("idle-invocations", [finding["topic"] for finding in shader["findings"]])

    def test_text_says_the_same_in_words(self):
        text = run(SHADERS / "strided_mesh.spv").stdout
        self.assertIn("main: mesh shader, workgroup 32 x 1 x 1, triangles, at most 64 vertices and 126 primitives", text)
        for finding in advice(SHADERS / "strided_mesh.spv")["shaders"][0]["findings"]:
            for part in ("kind", "text", "cost", "advice"):
                self.assertIn(finding[part], text)
        self.assertRegex(text, r"where: .*strided\.mesh:16: barrier\(\);\n")
        self.assertNotIn("\x1b", text)
        self.assertIn("nothing stands out", run(SHADERS / "own_lane_mesh.spv").stdout)

    def test_page_stands_alone_and_json_does_not_mix_with_it(self):
        page = run(SHADERS / "strided_mesh.spv", "-o", "-").stdout
        self.assertTrue(page.startswith("<!doctype html>") and page.endswith("</html>\n"))
        self.assertNotRegex(page, r"(src|href)=")
        run(SHADERS / "strided_mesh.spv", "-o", "-", "--json", status=2)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "<b>&.html"
            self.assertEqual(run(SHADERS / "strided_mesh.spv", "-o", path).stdout, "")
            self.assertEqual(path.read_text(), page)

    def test_specialization_and_entry_point(self):
        path = SHADERS / "functions_mesh.spv"
        self.assertEqual(advice(path)["shaders"][0]["invocations"], 128)
        self.assertEqual(advice(path, "--spec", "1=64", "--entry", "main")["shaders"][0]["invocations"], 64)
        [error] = advice(path, "--entry", "other", status=1)["errors"]
        self.assertIn('named "other"', error["message"])
        run(path, "--spec", "x", status=2)

    def test_text_of_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run(["spirv-dis", SHADERS / "own_lane_mesh.spv"], capture_output=True, check=True).stdout
            path = pathlib.Path(folder) / "own_lane.spvasm"
            path.write_bytes(text)
            self.assertEqual(advice(path)["shaders"], advice(SHADERS / "own_lane_mesh.spv")["shaders"])

    def test_dxil_mesh_and_amplification_shaders(self):
        stages = {}
        for path in sorted((CORPUS / "mesh").glob("*.dxil")):
            [shader] = advice(path)["shaders"]
            stages[path.stem] = shader["stage"]
            source = path.with_suffix(".hlsl").read_text()
            threads = re.search(r"numthreads\((\d+), (\d+), (\d+)\)", source)
            self.assertEqual(shader["workgroup_size"], [int(size) for size in threads.groups()], path)
        self.assertEqual(stages["amplification"], "task")
        self.assertEqual(stages["cells"], "mesh")
        self.assertGreaterEqual(len(stages), 10)

    def test_what_is_no_mesh_shader_is_refused_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "broken"
            for content, message in [(b"", "not SPIR-V"), (b"DXBC", ""), (b"\x03\x02\x23\x07", "")]:
                path.write_bytes(content)
                [error] = advice(path, status=1)["errors"]
                self.assertIn(message, error["message"])
                self.assertEqual(error["source"], str(path))
        [error] = advice(SHADERS / "own_lane_frag.spv", status=1)["errors"]
        self.assertIn("no mesh or task shader", error["message"])
        other = sorted((CORPUS / "compute").glob("*.dxil"))[0]
        [error] = advice(other, status=1)["errors"]
        self.assertIn("neither a mesh nor an amplification shader", error["message"])
        self.assertIn("cannot read", run(CORPUS / "nothing", status=1).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an example and compares what it gives: usage: run_example.py MILLRACE SOURCES NAME

Without NAME it checks that all examples with a graph have expected results, and that both keep their schema.
MILLRACE_TEST_DEVICE names the device, as for the other tests, and MILLRACE_TEST_NO_VALIDATION=1 goes without validation.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import expected
import picture

MILLRACE, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
EXAMPLES = SOURCES / "examples"
VALIDATE = [] if os.environ.get("MILLRACE_TEST_NO_VALIDATION", "0") != "0" else ["--validate"]


def validator(name):
    import jsonschema  # Debian: python3-jsonschema. A machine that runs examples alone need not have it.

    return jsonschema.Draft202012Validator(json.loads((SOURCES / "docs" / name).read_text()))


def graph_of(name):
    return EXAMPLES / name / "graph.json"


def run(graph, folder, *arguments, status=0):
    device = os.environ.get("MILLRACE_TEST_DEVICE")
    result = subprocess.run([MILLRACE, "run", graph, "-o", folder, "--json", *arguments,
                             *(["--device", device] if device else [])], capture_output=True, text=True, check=False)
    assert result.returncode == status, (arguments, result.returncode, result.stdout, result.stderr)
    return json.loads(result.stdout)


def description(name):
    return json.loads(graph_of(name).read_text())


def outputs(name):
    graph = description(name)
    target = [graph["target"]] if "target" in graph else []
    for resource in graph.get("buffers", []) + graph.get("images", []) + target:
        files = resource.get("output", [])
        yield from [files] if isinstance(files, str) else files


def change_first_number(value):
    """Makes an expectation wrong, to see that it is looked at."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in places:
        if isinstance(inner, (dict, list)):
            if change_first_number(inner):
                return True
        else:
            value[key] = inner - 1 if inner > 0 else inner + 1
            return True
    return False


def texels(path):
    return [tuple(texel) for row in picture.read(path) for texel in row]


class DrawnByHost:
    """What the example must draw. Which of two things is in front may be a matter of order where both have one depth."""

    def __init__(self, name, folder):
        self.name = description(name)["target"]["output"]
        graph = expected.BY_HOST[name](description(name))
        for node in graph["nodes"]:
            for shader in node, node["fragment"]:
                shader["file"] = str(EXAMPLES / name / shader["file"])
        path = folder / "by_host.json"
        path.write_text(json.dumps(graph))
        (folder / "by_host").mkdir()
        run(path, folder / "by_host")
        self.texels = texels(folder / "by_host" / self.name)
        assert len(set(self.texels)) > 1000, "there is nothing to see"

    def check(self, folder):
        drawn = texels(folder / self.name)
        assert len(drawn) == len(self.texels)
        wrong = sum(a != b for a, b in zip(drawn, self.texels))
        assert wrong <= len(drawn) / 1000, f"{wrong} of {len(drawn)} pixels are not as the host's payloads draw them"


def check(name):
    results = expected.ALL[name](EXAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "check.json"
        path.write_text(json.dumps({"results": results}))
        by_host = DrawnByHost(name, folder) if name in expected.BY_HOST else None
        for arguments in VALIDATE, ["--scratch", "min", "--form", "indirect-count"]:
            report = run(graph_of(name), folder, "--check", path, *arguments)
            assert report["check"]["passed"] and not report["messages"], report
            if by_host:
                by_host.check(folder)
        for output in outputs(name):
            assert (folder / output).stat().st_size > 0, output
        for resource in results:
            wrong = json.loads(json.dumps({resource: results[resource]}))
            assert change_first_number(wrong[resource]["data"])
            path.write_text(json.dumps({"results": wrong}))
            report = run(graph_of(name), folder, "--check", path, status=1)
            assert report["check"]["differences"][0]["resource"] == resource, report
    print(f"{name}: {', '.join(results)} as expected")


def check_all():
    graphs = {path.parent.name for path in EXAMPLES.glob("*/graph.json")}
    assert graphs == set(expected.ALL), graphs ^ set(expected.ALL)
    tutorial = (SOURCES / "docs/tutorial.md").read_text()
    for name in graphs:
        validator("run.schema.json").validate(description(name))
        validator("run-check.schema.json").validate({"results": expected.ALL[name](EXAMPLES)})
        assert f"millrace run examples/{name}/graph.json" in tutorial, name
    print(f"{len(graphs)} examples have expected results and a place in the tutorial")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        check(sys.argv[3])
    else:
        check_all()

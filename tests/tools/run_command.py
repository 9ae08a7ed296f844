#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace run` from outside: usage: run_command.py MILLRACE SOURCES [DRIVER_LAYER_FOLDER]"""

import contextlib
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import jsonschema  # Debian: python3-jsonschema

from command_line import Command
from terminal import Terminal

RUN = Command(sys.argv[1], "run")
COMPILE = Command(sys.argv[1], "compile")
LOWER, REPORT = Command(sys.argv[1], "lower"), Command(sys.argv[1], "report")
GRAPH = Command(sys.argv[1], "graph")
SOURCES = pathlib.Path(sys.argv[2])
DRIVER_LAYERS = sys.argv[3] if len(sys.argv) > 3 else ""
SCHEMA = jsonschema.Draft202012Validator(json.loads((SOURCES / "docs/run.schema.json").read_text()))
CHECK_SCHEMA = jsonschema.Draft202012Validator(json.loads((SOURCES / "docs/run-check.schema.json").read_text()))

# Writes what it got, scaled, to where it was told.
COPY = """#version 460
layout(constant_id = 3) const uint FACTOR = 1;
layout(constant_id = 4) const bool NEGATE = false;
layout(name = "copy", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
struct Item {
    uint at;
    float value;
    vec2 pair;
    int whole[2];
};
nodein Item item;
layout(push_constant) uniform Constants { float scale; uint base; };
struct Out {
    float value;
    vec2 pair;
    int whole[2];
};
layout(set = 0, binding = 1, scalar) buffer Items { Out items[]; };
void main()
{
    const uint at = base + item.at * FACTOR;
    items[at].value = item.value * scale * (NEGATE ? -1 : 1);
    items[at].pair = item.pair;
    items[at].whole = item.whole;
}
"""
# Adds one to red, writes the place to green.
PAINT = """#version 460
layout(name = "paint", max_grid = uvec3(16, 16, 1)) node;
layout(local_size_x = 1) in;
layout(set = 1, binding = 2, rgba8ui) uniform uimage2D picture;
void main()
{
    const ivec2 at = ivec2(gl_WorkGroupID.xy);
    const uvec4 old = imageLoad(picture, at);
    imageStore(picture, at, uvec4(old.r + 1, at.y * 16 + at.x, old.ba));
}
"""
# Adds what is given to two sums, and shows each as a color.
TEXELS = """#version 460
layout(name = "texels", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 4) in;
layout(binding = 0) uniform utextureBuffer given;
layout(binding = 1, r32ui) uniform uimageBuffer sums;
layout(binding = 2) uniform writeonly imageBuffer colors;
void show(writeonly imageBuffer where, int at, vec4 color) { imageStore(where, at, color); }
void main()
{
    const int i = int(gl_LocalInvocationIndex);
    const uvec2 texel = texelFetch(given, i).xy;
    imageAtomicAdd(sums, i % 2, texel.x + texel.y);
    show(colors, i, vec4(texel, 255 - texel.x, 255) / 255);
}
"""
# A compute node sends a quarter each to a mesh node.
SQUARE = """struct Square {
    uvec2 corner;
    uint size;
    uint red;
};
"""
SPLIT = """#version 460
#include "square.glsl"
layout(name = "split", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 4) in;
nodein Square square;
layout(node = "draw") nodeout Square parts[4];
layout(binding = 0) buffer Counts { uint sent; };
void main()
{
    const uint i = gl_LocalInvocationIndex;
    allocateWorkgroup(parts, 4);
    parts[i].size = square.size / 2;
    parts[i].corner = square.corner + uvec2(i % 2, i / 2) * parts[i].size;
    parts[i].red = square.red + i;
    atomicAdd(sent, 1);
    enqueue(parts);
}
"""
DRAW = """#version 460
#extension GL_EXT_mesh_shader : require
#include "square.glsl"
layout(name = "draw", static_grid = uvec3(1, 1, 1)) node;
layout(constant_id = 1) const float DEPTH = 0.5;
layout(local_size_x = 4) in;
layout(triangles, max_vertices = 4, max_primitives = 2) out;
nodein Square square;
layout(push_constant) uniform Constants { uint side; };
layout(location = 0) flat out uint red[];
void main()
{
    SetMeshOutputsEXT(4, 2);
    const uint i = gl_LocalInvocationIndex;
    const vec2 place = vec2(square.corner + uvec2(i % 2, i / 2) * square.size) / side;
    gl_MeshVerticesEXT[i].gl_Position = vec4(2 * place - 1, DEPTH, 1);
    red[i] = square.red;
    if (i < 2)
        gl_PrimitiveTriangleIndicesEXT[i] = i == 0 ? uvec3(0, 1, 2) : uvec3(2, 1, 3);
}
"""
FRAGMENT = """#version 460
#include "square.glsl"
layout(constant_id = 1) const uint GREEN = 0;
layout(location = 0) flat in uint red;
layout(location = 0) out NUMBERS color;
layout(push_constant) uniform Constants { layout(offset = 4) uint blue; };
void main() { color = NUMBERS(uvec4(red, GREEN, blue, 1)); }
"""
ITEM = {"at": 1, "value": 1.5, "pair": [0.1, -2], "whole": [-7, 8]}


SOURCE_TEXTS = {"copy.comp": COPY, "paint.comp": PAINT, "square.glsl": SQUARE, "split.comp": SPLIT, "draw.mesh": DRAW,
                "draw.frag": FRAGMENT, "texels.comp": TEXELS}
COMPILED = "copy.comp", "paint.comp", "split.comp", "draw.mesh", "texels.comp"


def copy_graph(**changes):
    """A graph of the node "copy"; changes replace members, None removes them."""
    graph = {
        "nodes": [{"file": "copy.comp"}],
        "buffers": [{"name": "items", "binding": 1, "length": 4, "output": "items.json"}],
        "push_constants": {"scale": 2, "base": 0},
        "dispatches": [{"node": "copy", "payloads": [ITEM]}],
    }
    graph.update(changes)
    return {key: value for key, value in graph.items() if value is not None}


def paint_graph(**image):
    return {
        "nodes": [{"file": "paint.comp"}],
        "images": [{"name": "picture", "set": 1, "binding": 2, **image}],
        "dispatches": [{"node": "paint", "payloads": [{"grid": [4, 2, 1]}]}],
    }


def texel_graph(given=(), sums=(), colors=(), nodes=("texels.comp",)):
    """A graph of the node "texels"; None removes members."""
    buffers = [{"name": "given", "binding": 0, "format": "rg8ui", "data": [[1, 2], [3, 4], [5, 6], [7, 8]], **dict(given)},
               {"name": "sums", "binding": 1, "length": 2, "fill": 100, "output": "sums.json", **dict(sums)},
               {"name": "colors", "binding": 2, "format": "rgba8", "length": 5, "output": "colors.json", **dict(colors)}]
    return {
        "nodes": [{"file": file} for file in nodes],
        "buffers": [{key: value for key, value in buffer.items() if value is not None} for buffer in buffers],
        "dispatches": [{"node": "texels", "count": 1}],
    }


def draw_graph(node=(), target=(), **changes):
    """Draws a square of 4 x 4 in four colors; None removes members."""
    graph = {
        "nodes": [{"file": "split.comp"},
                  {"file": "draw.mesh", "fragment": {"file": "draw.frag", "define": {"NUMBERS": "uvec4"}}, **dict(node)}],
        "buffers": [{"name": "counts", "binding": 0}],
        "target": {"name": "picture", "format": "rgba8ui", "width": 8, "height": 4, "fill": [9, 8, 7, 6], "output": "p.json",
                   **dict(target)},
        "push_constants": {"side": 8, "blue": 3},
        "dispatches": [{"node": "split", "payloads": [{"corner": [0, 0], "size": 4, "red": 10}]}],
    }
    graph.update(changes)
    return {key: value for key, value in graph.items() if value is not None}


def value(value, pair=(0, 0), whole=(0, 0)):
    return {"value": value, "pair": list(pair), "whole": list(whole)}


class RunCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Most of what a run takes that is refused is compiling, so that is done once."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.modules = pathlib.Path(folder.name)
        for name, text in SOURCE_TEXTS.items():
            (cls.modules / name).write_text(text)
        for name in COMPILED:
            result = COMPILE(cls.modules / name, "-o", cls.modules / f"{name}.spv")
            assert result.returncode == 0, result.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.unchanged = set()
        for name, text in SOURCE_TEXTS.items():
            self.write(name, text)
        self.unchanged = set(COMPILED)

    def write(self, name, content):
        path = self.folder / name
        self.unchanged.discard(name)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def run_graph(self, graph, *arguments, status=0, **options):
        """Runs it, with outputs in a folder of its own; returns the JSON report."""
        if not isinstance(graph, str):
            SCHEMA.validate(graph)
        (self.folder / "out").mkdir(exist_ok=True)
        return RUN.json(self.write("graph.json", graph), "-o", self.folder / "out", *arguments, status=status,
                        **options)

    def output(self, name):
        return json.loads((self.folder / "out" / name).read_text())

    def items(self, graph, *arguments):
        self.run_graph(graph, *arguments)
        return self.output("items.json")["items"]

    def refuse(self, graph, message, pointer=None, place=None, arguments=()):
        """The graph is wrong at that place: a JSON pointer, or line and column."""
        (self.folder / "out").mkdir(exist_ok=True)
        path = self.write("graph.json", self.with_modules(graph))
        result = RUN(path, "-o", self.folder / "out", *arguments)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(message, result.stderr)
        error = RUN.json(path, "-o", self.folder / "out", *arguments, status=1)["errors"][0]
        self.assertIn(message, error["message"])
        if pointer is not None:
            self.assertEqual(error["pointer"], pointer)
            place = self.find(path.read_text(), pointer)
        if place is not None:
            self.assertEqual((error["line"], error["column"]), place)
            self.assertEqual(error["where"], f"{place[0]}:{place[1]}")
            self.assertIn(f"{error['source']}:{place[0]}:{place[1]}: ", result.stderr)

    def with_modules(self, graph):
        """The same with nodes that are compiled, where the test changes nothing of how they are."""
        nodes = graph.get("nodes") if isinstance(graph, dict) else None
        if not isinstance(nodes, list):
            return graph

        def compiled(node):
            if not isinstance(node, dict) or node.get("file") not in self.unchanged or "define" in node:
                return node
            # What a node is, the name of its source says; of a module it is what the node has.
            if node["file"].endswith(".mesh") != ("fragment" in node):
                return node
            name = node["file"] + ".spv"
            shutil.copy(self.modules / name, self.folder)
            return {**node, "file": name}

        return {**graph, "nodes": [compiled(node) for node in nodes]}

    @staticmethod
    def find(text, pointer):
        """Line and column of a value in text as json.dumps(indent=1) writes it, computed without the tool."""
        at, decoder = 0, json.JSONDecoder()
        for step in pointer.split("/")[1:]:
            container, begin = text[at], at + 1
            index = 0
            while True:
                while text[begin] in " \n,":
                    begin += 1
                if container == "{":
                    key, begin = json.decoder.scanstring(text, begin + 1)
                    begin = text.index(":", begin) + 1
                    while text[begin] in " \n":
                        begin += 1
                    if key == step:
                        break
                elif str(index) == step:
                    break
                index += 1
                begin = decoder.raw_decode(text, begin)[1]
            at = begin
        return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1

    # Payloads.

    def test_inline_payloads_are_encoded_by_name(self):
        self.assertEqual(self.items(copy_graph()),
                         [value(0), value(3, (0.1, -2), (-7, 8)), value(0), value(0)])

    def test_payloads_may_be_arrays_in_order(self):
        graph = copy_graph(dispatches=[{"node": "copy", "payloads": [[2, 0.25, [1, 2], [3, 4]]]}])
        self.assertEqual(self.items(graph)[2], value(0.5, (1, 2), (3, 4)))

    def test_csv_payloads(self):
        self.write("p.csv", "value, at,whole[1],whole[0],pair.x,pair.y\r\n1,0,2,3,4,5\r\n\"1e1\",3,-2,+3,.5,nan\n"
                   .replace("+3", "3"))
        items = self.items(copy_graph(dispatches=[{"node": "copy", "payloads": "p.csv"}]))
        self.assertEqual(items[0], value(2, (4, 5), (3, 2)))
        self.assertEqual(items[3], value(20, (0.5, "nan"), (3, -2)))

    def test_json_and_binary_payloads(self):
        self.write("p.json", [ITEM, {**ITEM, "at": 3, "value": -1}])
        self.write("p.bin", struct.pack("<Ifffii", 2, 8, 1, 1, 1, 1) * 2)
        graph = copy_graph(dispatches=[{"node": "copy", "payloads": "p.json"},
                                       {"launches": [{"node": "copy", "payloads": "p.bin"}]}])
        self.assertEqual([item["value"] for item in self.items(graph)], [0, 3, 16, -2])

    def test_count_repeats_and_cuts_payloads(self):
        self.write("add.comp", """#version 460
layout(name = "add", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
struct Number { uint value; };
nodein Number number;
layout(binding = 0) buffer Sum { uint sum; };
void main() { atomicAdd(sum, number.value); }
""")
        for count, total in [(5, 1 + 10 + 1 + 10 + 1), (1, 1), (0, 0)]:
            graph = {"nodes": [{"file": "add.comp"}], "buffers": [{"name": "sum", "binding": 0, "print": True}],
                     "dispatches": [{"node": "add", "payloads": [[1], {"value": 10}], "count": count}]}
            self.assertEqual(self.run_graph(graph)["results"], {"sum": {"sum": total}})

    def test_all_forms_and_scratch_sizes_give_the_same(self):
        first = self.items(copy_graph())
        for arguments in [["--form", "indirect"], ["--form", "indirect-count"], ["--scratch", "min"],
                          ["--scratch", "1000000", "--form", "host"]]:
            self.assertEqual(self.items(copy_graph(), *arguments), first, arguments)
        launch = {"node": "copy", "payloads": [ITEM]}
        for form in ["host", "indirect", "indirect-count"]:
            graph = copy_graph(dispatches=[{"launches": [launch, {**launch, "count": 2}], "form": form}], scratch="min")
            self.assertEqual(self.items(graph), first, form)

    # Constants.

    def test_specialization_by_name_and_number(self):
        node = {"file": "copy.comp", "specialization": {"FACTOR": 3, "4": True}}
        self.assertEqual(self.items(copy_graph(nodes=[node]))[3]["value"], -3)

    def test_push_constants_change_between_dispatches_and_may_be_words(self):
        launch = {"node": "copy", "payloads": [ITEM]}
        graph = copy_graph(push_constants=None, dispatches=[
            {**launch, "push_constants": [0x3f000000, 0]},  # 0.5
            {**launch, "push_constants": {"base": 2}},
        ])
        self.assertEqual([item["value"] for item in self.items(graph)], [0, 0.75, 0, 0.75])

    def test_addresses_of_buffers_are_written_where_they_are_wanted(self):
        self.write("follow.comp", """#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430) buffer Numbers { uint numbers[4]; };
layout(name = "follow", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
layout(push_constant) uniform Constants { Numbers from; uint factor; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    Numbers to = Numbers(uvec2(words[1], words[2]));
    to.numbers[words[0]] += from.numbers[1] * factor;
}
""")
        graph = {"nodes": [{"file": "follow.comp"}],
                 "buffers": [{"name": "words", "binding": 0, "data": {"words": [3, {"address": "to"}]}},
                             {"name": "one", "binding": 1, "data": {"words": [0, 5]}},
                             {"name": "two", "binding": 2, "data": {"words": [0, 7]}},
                             {"name": "to", "binding": 3, "size": 16, "print": True}],
                 "push_constants": {"from": {"address": "one"}, "factor": 10},
                 "dispatches": [{"node": "follow"}, {"node": "follow", "push_constants": {"from": {"address": "two"}}}]}
        self.assertEqual(self.run_graph(graph)["results"]["to"]["words"], [0, 0, 0, 50 + 70])
        graph["push_constants"]["from"] = {"address": "on"}
        self.refuse(graph, "there is no buffer \"on\"; did you mean \"one\"?", "/push_constants/from/address")
        graph["push_constants"]["from"] = {"address": "one", "size": 3}
        self.refuse(graph, "size", "/push_constants/from/size")
        graph["push_constants"]["factor"] = {"address": "one"}
        del graph["push_constants"]["from"]
        self.refuse(graph, "", "/push_constants/factor")

    def test_arrays_of_nodes_that_are_alike(self):
        self.write("spread.comp", """#version 460
layout(name = "spread", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
struct Part { uint value; };
layout(node = "part", sparse) nodeout Part parts[6];
void main()
{
    for (uint i = 0; i < 6; i++) {
        if (isValidAt(parts, i)) {
            allocateInvocationAt(parts, i, 1);
            parts[0].value = 1 + i;
            enqueue(parts);
        }
    }
}
""")
        self.write("part.comp", """#version 460
layout(name = "part", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
struct Part { uint value; };
nodein Part item;
layout(binding = 0) buffer Counts { uint counts[6]; };
void main() { counts[shaderIndex()] += item.value; }
""")
        def graph(**part):
            return {"nodes": [{"file": "spread.comp"}, {"file": "part.comp", **part}],
                    "buffers": [{"name": "counts", "binding": 0, "print": True}], "dispatches": [{"node": "spread"}]}
        for part, counts in [({"count": 6}, [1, 2, 3, 4, 5, 6]), ({"count": 2}, [1, 2, 0, 0, 0, 0]),
                             ({"indices": [4, 1]}, [0, 2, 0, 0, 5, 0]), ({"index": 3}, [0, 0, 0, 4, 0, 0])]:
            with self.subTest(part):
                self.assertEqual(self.run_graph(graph(**part))["results"]["counts"]["counts"], counts)

    def test_macros_and_node_names(self):
        node = {"file": "copy.comp", "name": "other", "index": 3, "define": {"FACTOR": 2}}
        self.write("copy.comp", COPY.replace("layout(constant_id = 3) const uint FACTOR = 1;\n", ""))
        graph = copy_graph(nodes=[node], dispatches=[{"node": "other", "index": 3, "payloads": [ITEM]}])
        self.assertEqual(self.items(graph)[2]["value"], 3)

    def test_spirv_binary_and_text(self):
        for option, name in [([], "copy.spv"), (["--asm"], "copy.spvasm")]:
            result = COMPILE(self.folder / "copy.comp", *option, "-o", self.folder / name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.items(copy_graph(nodes=[{"file": name}]))[1]["value"], 3)

    # Buffers and images.

    def test_contents_come_from_fill_data_and_files(self):
        rest = {"name": "items", "binding": 1, "output": "items.json"}
        self.write("b.json", {"items": [value(5), value(6)]})
        self.write("b.bin", struct.pack("<fffii", 7, 7, 7, 7, 7) * 3)
        self.write("b.csv", "value,pair.x,pair.y,whole[0],whole[1]\n" + "9,0,0,0,0\n" * 2)
        for more, wanted in [({"fill": 4, "length": 3}, [4, 3, 4]),
                             ({"data": {"items": [value(1), value(2), {"value": 3}, {}]}, "fill": 4}, [1, 3, 3, 4]),
                             ({"file": "b.json"}, [5, 3]), ({"file": "b.bin"}, [7, 3, 7]),
                             ({"file": "b.csv", "size": 60}, [9, 3, 0])]:
            items = self.items(copy_graph(buffers=[{**rest, **more}]))
            self.assertEqual([item["value"] for item in items], wanted, more)

    def test_outputs_in_every_format(self):
        buffer = {"name": "items", "binding": 1, "length": 2, "output": ["i.bin", "i.json", "i.csv"]}
        report = self.run_graph(copy_graph(buffers=[buffer]))
        self.assertEqual([file["path"] for file in report["files"]],
                         [str(self.folder / "out" / name) for name in buffer["output"]])
        self.assertEqual(struct.unpack("<10I", (self.folder / "out/i.bin").read_bytes())[:5], (0,) * 5)
        self.assertEqual(struct.unpack("<5x5x5x5xfffii", (self.folder / "out/i.bin").read_bytes())[0], 3)
        with open(self.folder / "out/i.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows[1], {"value": "3", "pair.x": "0.1", "pair.y": "-2", "whole[0]": "-7",
                                   "whole[1]": "8"})
        self.assertEqual(self.output("i.json")["items"][1], value(3, (0.1, -2), (-7, 8)))

    def test_image_of_png_and_back(self):
        graph = paint_graph(width=4, height=2, fill=[9, 0, 7, 255], output=["p.png", "p.json"])
        self.run_graph(graph)
        wanted = [[[10, y * 16 + x, 7, 255] for x in range(4)] for y in range(2)]
        self.assertEqual(self.output("p.json"), wanted)
        (self.folder / "p.png").write_bytes((self.folder / "out/p.png").read_bytes())
        self.run_graph(paint_graph(file="p.png", output="p.json"))
        self.assertEqual(self.output("p.json"), [[[11, *texel[1:]] for texel in row] for row in wanted])

    # Texel buffers.

    def test_texel_buffers_are_read_written_and_added_to(self):
        self.assertEqual(self.run_graph(texel_graph(), "--validate")["messages"], [])
        self.assertEqual(self.output("sums.json"), [100 + 1 + 2 + 5 + 6, 100 + 3 + 4 + 7 + 8])
        self.assertEqual(self.output("colors.json"), [[x, x + 1, 255 - x, 255] for x in (1, 3, 5, 7)] + [[0] * 4])

    def test_contents_of_texel_buffers_come_from_files_and_go_there(self):
        self.write("g.json", [[1, 2], [3, 4], [5, 6], [7, 8]])
        self.write("g.csv", "texel.y,texel.x\n2,1\n4,3\n6,5\n8,7\n")
        self.write("g.bin", bytes(range(1, 9)))
        self.write("s.csv", "texel\n7\n-1\n".replace("-1", "9"))
        for file in "g.json", "g.csv", "g.bin":
            report = self.run_graph(texel_graph(given={"data": None, "file": file},
                                                sums={"length": None, "file": "s.csv", "output": ["s.csv", "s.bin"], "print": True},
                                                colors={"size": 16, "length": None, "output": "c.csv"}))
            self.assertEqual(report["results"], {"sums": [21, 31]})
            self.assertEqual((self.folder / "out/s.csv").read_text(), "texel\n21\n31\n")
            self.assertEqual((self.folder / "out/s.bin").read_bytes(), struct.pack("<II", 21, 31))
            rows = (self.folder / "out/c.csv").read_text().splitlines()
            self.assertEqual(rows[:2], ["texel.x,texel.y,texel.z,texel.w", "1,2,254,255"])
            self.assertEqual(len(rows), 5)

    def test_texel_buffers_begin_with_fill_and_data(self):
        given = {"data": [[9, 9]], "fill": [1, 2], "length": 4}
        self.run_graph(texel_graph(given=given, colors={"fill": 3}))
        self.assertEqual(self.output("sums.json"), [100 + 9 + 9 + 1 + 2, 100 + 1 + 2 + 1 + 2])
        self.assertEqual(self.output("colors.json")[4], [3, 3, 3, 3])

    def test_texel_buffers_are_compared(self):
        for expected, difference in [
                ({"data": [114, 122]}, None),
                ({"data": [122, 114], "order": "any"}, None),
                ({"data": [114], "prefix": True}, None),
                ({"data": [114, 123]}, "[1] is 122, expected 123"),
                ({"data": [114]}, '"prefix": true'),
                ({"data": []}, '"prefix": true')]:
            check = {"results": {"sums": expected}}
            CHECK_SCHEMA.validate(check)
            result = RUN(self.write("graph.json", texel_graph()), "--check", self.write("check.json", check), "-o", self.folder)
            self.assertEqual(result.returncode, 1 if difference else 0, result.stderr)
            self.assertIn(difference or "", result.stderr)

    def test_texel_buffers_have_every_format(self):
        """Uniform ones, and storage ones of what GLSL has; two texels from one to the other."""
        formats = SCHEMA.schema["$defs"]["format"]["enum"]
        kinds = {"": ("", 255, 65535), "snorm": ("", 127, 32767), "ui": ("u", 255, 65535), "i": ("i", 127, 32767), "f": ("", 0, 1)}
        buffers, declarations, statements = [], "", ""
        for f, name in enumerate(formats):
            components, bits, kind = re.fullmatch("(r|rg|rgb|rgba)(8|16|32)_?(snorm|ui|i|f|)", name).groups()
            letter = kinds[kind][0]
            most = 3 if bits == "32" or kind == "f" else kinds[kind][1 if bits == "8" else 2]
            texels = [[(-1 if kind in ("i", "snorm") else 1) * most, 2, 1, 0][:len(components)], [1] * len(components)]
            texels = [texel[0] for texel in texels] if components == "r" else texels
            buffers.append({"name": name, "binding": 2 * f, "format": name, "data": texels})
            declarations += f"layout(binding = {2 * f}) uniform {letter}samplerBuffer from{f};\n"
            # No shader can say a format of three components.
            declared = {"name": name + " copy", "binding": 2 * f + 1, "length": 2, "print": True}
            if components == "rgb":
                declarations += f"layout(binding = {2 * f + 1}) uniform writeonly {letter}imageBuffer to{f};\n"
                declared["format"] = "rgba" + name.removeprefix("rgb")
            else:
                declarations += f"layout(binding = {2 * f + 1}, {name}) uniform {letter}imageBuffer to{f};\n"
            buffers.append(declared)
            statements += f"    imageStore(to{f}, i, texelFetch(from{f}, i));\n"
        self.write("every.comp", "#version 460\nlayout(name = \"every\", static_grid = uvec3(1, 1, 1)) node;\n"
                   "layout(local_size_x = 2) in;\n" + declarations +
                   "void main()\n{\n    const int i = int(gl_LocalInvocationIndex);\n" + statements + "}\n")
        graph = {"nodes": [{"file": "every.comp"}], "buffers": buffers, "dispatches": [{"node": "every", "count": 1}]}
        results = self.run_graph(graph)["results"]
        for given in buffers[::2]:
            found = results[given["name"] + " copy"]
            if given["name"].startswith("rgb3"):
                self.assertEqual([texel[3] for texel in found], [1, 1], given["name"])
                found = [texel[:3] for texel in found]
            self.assertEqual(found, given["data"], given["name"])

    def test_texel_buffers_that_do_not_fit_have_a_place(self):
        self.write("other.comp", TEXELS.replace('"texels"', '"other"').replace("r32ui", "r32i").replace("uimage", "iimage")
                   .replace("texel.x + texel.y", "int(texel.x + texel.y)"))
        self.write("block.comp", TEXELS.replace('"texels"', '"block"')
                   .replace("uniform utextureBuffer given;", "buffer Given { uvec2 given[]; };")
                   .replace("texelFetch(given, i)", "given[i]"))
        self.write("wide.comp", '#version 460\n#extension GL_EXT_shader_image_int64 : require\n'
                   '#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n'
                   'layout(name = "texels", static_grid = uvec3(1, 1, 1)) node;\nlayout(local_size_x = 1) in;\n'
                   'layout(binding = 0, r64ui) uniform u64imageBuffer given;\n'
                   'void main() { imageStore(given, 0, u64vec4(1)); }\n')
        for changes, message, pointer in [
                ({"given": {"format": None}}, '"format" is missing, and the nodes do not say it either', "/buffers/0"),
                ({"given": {"format": "rg8"}}, "other numbers", "/buffers/0/format"),
                ({"given": {"format": "rg9"}}, 'did you mean "rg8"?', "/buffers/0/format"),
                ({"sums": {"format": "r32i"}}, 'the nodes say "r32ui"', "/buffers/1/format"),
                ({"sums": {"length": None}}, "how long is the buffer?", "/buffers/1"),
                ({"sums": {"length": None, "size": 10}}, "4 bytes each", "/buffers/1/size"),
                ({"sums": {"data": [1, 2, 3]}}, "does not fit into 8 bytes", "/buffers/1/data/2"),
                ({"sums": {"data": {"sums": [1]}}}, "an array is expected", "/buffers/1/data"),
                ({"sums": {"fill": [1, 2]}}, "number", "/buffers/1/fill"),
                ({"given": {"data": None, "file": "odd.bin"}}, "these are 7 bytes, and texels of format rg8ui have 2 each",
                 "/buffers/0/file"),
                ({"given": {"data": None, "file": "g.png"}}, ".json, .csv or .bin", "/buffers/0/file"),
                ({"sums": {"output": "s.png"}}, "PNG is for images", "/buffers/1/output"),
                ({"nodes": ["texels.comp", "other.comp"]}, "set 0, binding 1 is a storage texel buffer of signed integers in this "
                 "node and a storage texel buffer of unsigned integers in another", "/nodes/1"),
                ({"nodes": ["block.comp", "texels.comp"]}, "is a uniform texel buffer in this node and a storage buffer in another",
                 "/nodes/1"),
                ({"nodes": ["block.comp"]}, 'nodes have a storage buffer "Given" here, and "format" is for texel buffers',
                 "/buffers/0/format"),
                ({"nodes": ["wide.comp"]}, "no texels of 32-bit numbers", "/nodes/0")]:
            self.write("odd.bin", bytes(7))
            with self.subTest(changes):
                graph = texel_graph(**changes)
                self.refuse(graph, message, pointer=pointer)

    def test_images_and_texel_buffers_that_the_device_lacks_have_a_place(self):
        without_format = {**paint_graph(width=4, height=2, format="rgba8ui"), "nodes": [{"file": "formatless.comp"}]}
        self.write("formatless.comp", PAINT.replace(", rgba8ui", "").replace("#version 460\n",
                   "#version 460\n#extension GL_EXT_shader_image_load_formatted : require\n"))
        self.write("formats.comp", TEXELS.replace("layout(binding = 2)", "layout(binding = 2, rgba8)")
                   .replace("show(colors", "imageStore(colors"))
        most = 2**27  # of lavapipe
        for lacks, graph, message, pointer in [
                ("", texel_graph(colors={"length": most + 1, "format": "r8"}),
                 f"{most + 1} texels are more than maxTexelBufferElements of the device, {most}", "/buffers/2/length"),
                ("", texel_graph(colors={"format": "rgb32f"}), "the device has no storage texel buffers of format rgb32f",
                 "/buffers/2/format"),
                ("-texelBuffers", texel_graph(), "the device has no uniform texel buffers of format rg8ui", "/buffers/0/format"),
                ("-texelAtomics", texel_graph(), "the device has no atomic operations on storage texel buffers of format r32ui",
                 "/buffers/1"),
                ("-withoutFormat", texel_graph(),
                 "the device cannot write storage texel buffers of format rgba8 unless the shader says the format", "/buffers/2/format"),
                ("-withoutFormat", without_format,
                 "the device cannot read storage images of format rgba8ui unless the shader says the format", "/images/0/format")]:
            with self.subTest(lacks + message), self.driver(lacks):
                self.refuse(graph, message, pointer=pointer)
        with self.driver("-withoutFormat"):
            self.run_graph(texel_graph(nodes=["formats.comp"]))
            self.run_graph(paint_graph(width=4, height=2))

    @contextlib.contextmanager
    def driver(self, lacks):
        """Under a driver that is changed like this, see tests/layer/driver_layer.cpp."""
        changes = {"VK_INSTANCE_LAYERS": "VK_LAYER_MILLRACE_emulation:VK_LAYER_MILLRACE_test_driver",
                   "VK_ADD_LAYER_PATH": DRIVER_LAYERS,
                   "MILLRACE_TEST_DRIVER": lacks}
        with unittest.mock.patch.dict(os.environ, changes):
            yield

    def test_folders_of_outputs_are_made(self):
        graph = copy_graph(buffers=[{"name": "items", "binding": 1, "length": 2, "output": ["a/i.csv", "b/c/i.json"]}])
        path = self.write("graph.json", graph)
        result = RUN(path, "-o", self.folder / "x/y", "--trace", self.folder / "z/t.mrtrace")
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ["x/y/a/i.csv", "x/y/b/c/i.json", "z/t.mrtrace"]:
            self.assertTrue((self.folder / name).is_file(), name)

    def test_files_that_cannot_be_used_have_reasons(self):
        (self.folder / "out").mkdir()
        for name in ["i.json", "p.png"]:
            (self.folder / "out" / name).symlink_to("/dev/full")
        for graph, message in [
                (copy_graph(buffers=[{"name": "items", "binding": 1, "length": 2, "output": "copy.comp/i.json"}]),
                 "Not a directory"),
                (copy_graph(buffers=[{"name": "items", "binding": 1, "length": 200, "output": "i.json"}]),
                 "No space left on device"),
                (paint_graph(width=4, height=2, output="p.png"), "No space left on device"),
                (copy_graph(nodes=[{"file": "none.comp"}]), "No such file or directory"),
                (copy_graph(nodes=[{"file": "none.spv"}]), "No such file or directory"),
                (copy_graph(nodes=[{"file": "."}]), "it is a folder"),
                (paint_graph(width=4, height=2, file="none.png"), "No such file or directory"),
                (paint_graph(width=4, height=2, file="copy.png"), "PNG")]:
            (self.folder / "out" / "copy.comp").write_text("")
            (self.folder / "copy.png").write_text(COPY)
            with self.subTest(graph):
                self.refuse(graph, message)
        self.assertIn("No such file or directory", RUN(self.folder / "none.json").stderr)

    def test_columns_of_captures_have_names_of_their_own(self):
        self.write("take.comp", """#version 460
layout(name = "take", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
struct Work { uint level; uint node; uint other; };
nodein Work work;
layout(binding = 0) buffer Sum { uint sum; };
void main() { sum += work.level; }
""")
        graph = {"nodes": [{"file": "take.comp"}], "buffers": [{"name": "sum", "binding": 0}],
                 "dispatches": [{"node": "take", "payloads": [[7, 8, 9]]}]}
        file = self.folder / "c.csv"
        result = RUN(self.write("graph.json", graph), env={
            **os.environ, "VK_MILLRACE_EMULATION_CAPTURE": "take where level > 6",
            "VK_MILLRACE_EMULATION_CAPTURE_FILE": str(file)})
        self.assertEqual(result.returncode, 0, result.stderr)
        names, values = list(csv.reader(file.read_text().splitlines()))
        self.assertEqual(len(set(names)), len(names), names)
        row = dict(zip(names, values))
        self.assertEqual([row[name] for name in ["payload.level", "payload.node", "other", "level", "node"]],
                         ["7", "8", "9", "1", "take"])

    # Mesh nodes. The picture has half of the height that the clip space has, so that squares are 2 x 1.

    CLEAR = [9, 8, 7, 6]

    def drawn(self, graph, *arguments, **options):
        report = self.run_graph(graph, *arguments, **options)
        self.assertEqual(report["messages"], [])
        return self.output("p.json")

    def quarters(self, green=0, clear=CLEAR):
        """What draw_graph() draws: the place (x, y) of the clip space's 8 x 8 is the pixel (x, y / 2)."""
        return [[[10 + x // 2 + 2 * y, green, 3, 1] if x < 4 and y < 2 else clear for x in range(8)] for y in range(4)]

    def test_mesh_nodes_draw_what_compute_nodes_send(self):
        for arguments in [["--validate"], ["--scratch", "min", "--form", "indirect-count"], ["--repeat", "3"]]:
            with self.subTest(arguments):
                self.assertEqual(self.drawn(draw_graph(), *arguments), self.quarters())

    def test_mesh_nodes_are_spirv_as_well(self):
        COMPILE(self.folder / "draw.mesh", "-o", self.folder / "d.spv")
        graph = draw_graph(nodes=[{"file": "split.comp"}, {"file": "d.spv", "fragment": {"file": "f.spvasm"}}])
        self.write("f.spvasm", """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec4 = OpTypeVector %uint 4
%pointer = OpTypePointer Output %uvec4
%out = OpVariable %pointer Output
%one = OpConstant %uint 1
%ones = OpConstantComposite %uvec4 %one %one %one %one
%main = OpFunction %void None %function
%label = OpLabel
OpStore %out %ones
OpReturn
OpFunctionEnd
""")
        graph["push_constants"] = {"side": 8}
        self.assertEqual(self.drawn(graph)[0], [[1] * 4] * 4 + [self.CLEAR] * 4)

    def test_all_dispatches_draw_into_one_picture(self):
        square = {"corner": [4, 4], "size": 4, "red": 50}
        graph = draw_graph()
        graph["dispatches"].append({"node": "draw", "payloads": [square], "push_constants": {"blue": 5}})
        picture = self.drawn(graph, "--validate")
        self.assertEqual(picture[:2], self.quarters()[:2])
        self.assertEqual(picture[2], [self.CLEAR] * 4 + [[50, 0, 5, 1]] * 4)

    def test_constants_of_fragment_shaders_are_their_own(self):
        fragment = {"file": "draw.frag", "define": {"NUMBERS": "uvec4"}, "specialization": {"GREEN": 77}}
        node = {"fragment": fragment, "specialization": {"DEPTH": 0.25}}
        self.assertEqual(self.drawn(draw_graph(node)), self.quarters(77))

    def test_depth_hides_what_is_behind(self):
        node = {"file": "draw.mesh", "fragment": {"file": "draw.frag", "define": {"NUMBERS": "uvec4"}}}
        whole = {"corner": [0, 0], "size": 8, "red": 99}
        for state, depth, wanted in [({}, 0.25, 99), ({}, 0.75, 10), ({"depth_test": "always"}, 0.75, 99),
                                     ({"depth_test": "greater"}, 0.75, 99), ({"depth_test": "never"}, 0.25, 10)]:
            second = {**node, "name": "second", "specialization": {"DEPTH": depth}, **state}
            graph = draw_graph(target={"depth": 1}, nodes=[{"file": "split.comp"}, node, second])
            graph["dispatches"].append({"node": "second", "payloads": [whole]})
            with self.subTest(state):
                self.assertEqual(self.drawn(graph, "--validate")[0][0][0], wanted)
        # Written once, or not.
        for write, wanted in [(True, 10), (False, 99)]:
            first = {**node, "depth_write": write}
            second = {**node, "name": "second", "specialization": {"DEPTH": 0.75}}
            graph = draw_graph(target={"depth": 1}, nodes=[{"file": "split.comp"}, first, second])
            graph["dispatches"].append({"node": "second", "payloads": [whole]})
            self.assertEqual(self.drawn(graph)[0][0][0], wanted)

    def test_faces_are_culled(self):
        # Both triangles of a square go clockwise in the picture.
        self.assertEqual(self.drawn(draw_graph({"cull": "back"})), [[self.CLEAR] * 8] * 4)
        self.assertEqual(self.drawn(draw_graph({"cull": "front"})), self.quarters())

    def test_colors_are_blended_and_samples_averaged(self):
        self.write("half.frag", """#version 460
layout(location = 0) out vec4 color;
void main() { color = vec4(1, 0, 0, 0.4); }
""")
        node = {"fragment": {"file": "half.frag"}}
        target = {"format": "rgba8", "fill": [0, 100, 255, 51]}
        for blend, wanted in [("none", [255, 0, 0, 102]), ("add", [255, 100, 255, 153]), ("alpha", [102, 60, 153, 133])]:
            graph = draw_graph({**node, "blend": blend}, target, push_constants={"side": 8})
            with self.subTest(blend):
                self.assertEqual(self.drawn(graph, "--validate")[0][0], wanted)
        # Of a square that ends at half of a pixel, two of four samples.
        graph = draw_graph(node, {**target, "samples": 4}, push_constants={"side": 8})
        graph["dispatches"] = [{"node": "draw", "payloads": [{"corner": [1, 0], "size": 1, "red": 0}]}]
        graph["target"].update({"width": 4, "height": 8})
        row = self.drawn(graph, "--validate")[0]
        self.assertEqual([row[1], row[3]], [[0, 100, 255, 51]] * 2)
        for value, wanted in zip(row[0], [128, 50, 128, 77]):
            self.assertAlmostEqual(value, wanted, delta=1)

    def test_targets_are_compared_printed_and_written(self):
        graph = draw_graph(target={"output": ["p.png", "p.bin"], "print": True})
        report = self.run_graph(graph)
        self.assertEqual(report["results"]["picture"], self.quarters())
        self.assertEqual((self.folder / "out/p.bin").read_bytes(),
                         bytes(value for row in self.quarters() for texel in row for value in texel))
        self.check({"picture": {"data": self.quarters()}}, 0, "as expected", graph=graph)
        self.check({"picture": {"data": self.quarters(1)}}, 1, "[0][0].y is 0, expected 1; 8 of 128", graph=graph)

    def test_floats_are_targets_too(self):
        node = {"fragment": {"file": "draw.frag", "define": {"NUMBERS": "vec4"}}}
        for format in ["rgba16f", "rgba32f"]:
            target = {"format": format, "fill": [0.5, "inf", -2, 1]}
            self.assertEqual(self.drawn(draw_graph(node, target)), self.quarters(clear=[0.5, "inf", -2, 1]))

    def test_mesh_nodes_are_listed(self):
        path = self.write("graph.json", draw_graph())
        for arguments in [[path], [self.folder / "split.comp", self.folder / "draw.mesh"]]:
            self.assertRegex(GRAPH(*arguments).stdout, r"draw\[0\] +mesh +a draw for each payload .* 16 bytes +2\n")
        self.assertEqual(GRAPH.json(path)["nodes"][1]["launch"], {"mode": "mesh"})
        result = COMPILE.json(self.folder / "draw.mesh", "-o", self.folder / "d.spv")
        self.assertEqual(result["node"]["launch"], {"mode": "static", "grid": [1, 1, 1]})

    def test_payloads_of_mesh_nodes_are_shown(self):
        shown = self.run_graph(draw_graph(), "--show", "draw where red > 11")["shown"]
        payloads = sorted((each["payload"] for each in shown), key=lambda payload: payload["red"])
        self.assertEqual(payloads, [{"corner": [0, 2], "size": 2, "red": 12}, {"corner": [2, 2], "size": 2, "red": 13}])

    def test_mesh_graphs_that_are_wrong_have_a_place(self):
        fragment = {"file": "draw.frag", "define": {"NUMBERS": "uvec4"}}
        without_target = draw_graph()
        target = without_target.pop("target")
        self.write("calls.frag", FRAGMENT.replace("NUMBERS(", "NUMBERS(shaderIndex() * "))
        self.write("node.frag", FRAGMENT + "nodein Square square;\n")
        self.write("bad.frag", FRAGMENT.replace("red,", "rod,"))
        for graph, message, pointer in [
                (without_target, 'no "target"', "/nodes/1"),
                (draw_graph(nodes=[{"file": "split.comp"}, {"file": "draw.mesh"}]), 'needs a "fragment" shader', "/nodes/1"),
                (copy_graph(target=target), "no node of the graph is a mesh node", "/target"),
                (copy_graph(nodes=[{"file": "copy.comp", "fragment": fragment}], target=target), "is for mesh nodes",
                 "/nodes/0/fragment"),
                (draw_graph({"fragment": {"file": "none.frag"}}), "cannot read", "/nodes/1/fragment/file"),
                (draw_graph({"fragment": {**fragment, "file": "bad.frag"}}), "'rod' : undeclared identifier",
                 "/nodes/1/fragment/file"),
                (draw_graph({"fragment": {**fragment, "file": "calls.frag"}}), "calls a function that is for nodes",
                 "/nodes/1/fragment/file"),
                (draw_graph({"fragment": {**fragment, "file": "node.frag"}}), "is no node and has no payloads",
                 "/nodes/1/fragment/file"),
                (draw_graph({"fragment": {**fragment, "specialization": {"GREN": 1}}}), 'did you mean "GREEN"?',
                 "/nodes/1/fragment/specialization/GREN"),
                (draw_graph({"fragment": {**fragment, "entry": "x"}}), "no fragment entry point 'x'", "/nodes/1/fragment"),
                (draw_graph({"fragment": {**fragment, "define": {"NUMBERS": "vec4"}}}), "other numbers", "/nodes/1/fragment"),
                (draw_graph({"blend": "add"}), "cannot blend", "/nodes/1/fragment"),
                (draw_graph(target={"samples": 64}), "no targets of this format with 64 samples", "/target/samples"),
                (draw_graph(target={"output": "p.csv"}), "CSV is for buffers", "/target/output"),
                (draw_graph(target={"fill": [1, 2, 3]}), "4 values are expected", "/target/fill"),
                (draw_graph(target={"name": "counts"}), 'two resources are called "counts"', "/target/name"),
                (draw_graph(push_constants={"side": 1}), '"push_constants" must say "blue"', "/dispatches/0"),
                (draw_graph(target={"width": 65536}), "more than", "/target/width")]:
            with self.subTest(message):
                self.refuse(graph, message, pointer=pointer)

    def test_mesh_graphs_that_the_schema_refuses_are_refused(self):
        for graph, message, pointer in [
                (draw_graph({"culling": "none"}), "unknown key", "/nodes/1/culling"),
                (draw_graph({"cull": "bakc"}), 'did you mean "back"?', "/nodes/1/cull"),
                (draw_graph({"depth_test": "lss"}), 'did you mean "less"?', "/nodes/1/depth_test"),
                (draw_graph({"depth_write": 1}), "true or false", "/nodes/1/depth_write"),
                (copy_graph(nodes=[{"file": "copy.comp", "blend": "add"}]), "is for mesh nodes", "/nodes/0/blend"),
                (draw_graph({"fragment": "draw.frag"}), "an object is expected", "/nodes/1/fragment"),
                (draw_graph({"fragment": {}}), '"file" is missing', "/nodes/1/fragment"),
                (draw_graph(target={"binding": 1}), 'unknown key "binding"', "/target/binding"),
                (draw_graph(target={"depth": 2}), "a number from 0 to 1", "/target/depth"),
                (draw_graph(target={"samples": 3}), "a power of two", "/target/samples"),
                (draw_graph(target={"format": "rgba9"}), "unknown format", "/target/format")]:
            with self.subTest(message):
                self.assertFalse(SCHEMA.is_valid(graph))
                self.refuse(graph, message, pointer=pointer)

    def test_devices_without_mesh_nodes_are_named(self):
        result = RUN(self.write("graph.json", draw_graph()),
                     env={**os.environ, "VK_LOADER_LAYERS_DISABLE": "VK_LAYER_MILLRACE_emulation"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("no device draws mesh nodes; there is device 0: ", result.stderr)

    def test_any_other_value_in_what_draws_is_an_error_or_runs(self):
        graph = draw_graph(target={"depth": 1, "samples": 4}, node={"cull": "none", "blend": "none", "depth_test": "less"})
        paths = [("nodes", 1, key) for key in graph["nodes"][1]] + [("target", key) for key in graph["target"]]
        paths += [("nodes", 1, "fragment", "file"), ("nodes", 1, "fragment", "define"), ("target",)]
        for path in paths:
            for wrong in [None, -1, {"x": []}, "x"]:
                changed = json.loads(json.dumps(graph))
                holder = changed
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = wrong
                result = RUN(self.write("graph.json", changed), "-o", self.folder)
                self.assertIn(result.returncode, [0, 1], (path, wrong, result.stderr))
                self.assertEqual(result.returncode == 1, "millrace: error: " in result.stderr, (path, wrong))

    def test_damaged_modules_of_what_draws_are_errors_or_graphs(self):
        """`millrace graph` loads them as this command does, and no driver has to bear what is left."""
        generator = random.Random(3413)
        COMPILE(self.folder / "draw.mesh", "-o", self.folder / "d.spv")
        fragment = self.folder / "f.spv"
        text = FRAGMENT.replace("NUMBERS", "uvec4").replace('#include "square.glsl"\n', "")
        self.write("f.frag", text)
        tool = shutil.which("glslangValidator")
        self.assertTrue(tool, "Debian: glslang-tools")
        subprocess.run([tool, "-V", "--target-env", "vulkan1.3", self.folder / "f.frag", "-o", fragment], check=True,
                       capture_output=True)
        graph = draw_graph(nodes=[{"file": "split.comp"}, {"file": "d.spv", "fragment": {"file": "f.spv"}}])
        for name in ["d.spv", "f.spv"]:
            sound = (self.folder / name).read_bytes()
            for _ in range(60):
                words = list(struct.unpack(f"<{len(sound) // 4}I", sound))
                for _ in range(generator.choice([1, 1, 3])):
                    at = generator.randrange(1, len(words))
                    words[at] = generator.choice([0, 1, 0xffffffff, words[at] ^ 1 << generator.randrange(32),
                                                  generator.choice(words)])
                kept = generator.choice([len(words), len(words), generator.randrange(len(words))])
                (self.folder / name).write_bytes(struct.pack(f"<{kept}I", *words[:kept]))
                result = GRAPH(self.write("graph.json", graph))
                self.assertIn(result.returncode, [0, 1], (name, words, result.stderr))
            (self.folder / name).write_bytes(sound)
        self.assertEqual(GRAPH(self.folder / "graph.json").returncode, 0)

    # Repeats, validation, reports.

    def test_limits_of_the_device_are_checked_first(self):
        huge = [{"name": "items", "binding": 1, "size": 2_400_000_000}]
        self.refuse(copy_graph(buffers=huge), "2400000000 bytes are more than maxStorageBufferRange of the device, ",
                    pointer="/buffers/0/size")
        self.refuse(paint_graph(width=65536, height=1), "65536 pixels are more than the largest image of the device, ",
                    pointer="/images/0/width")
        # Before memory of that size is filled.
        many = copy_graph()
        many["dispatches"][0].update({"count": 2**32 - 2})
        self.refuse(many, "4294967294 payloads are more than maxExecutionGraphShaderPayloadCount of the device, ",
                    pointer="/dispatches/0/count")
        constants = COPY.replace("uint base; };", "uint base; uint more[10000]; };")
        self.write("copy.comp", constants)
        self.refuse(copy_graph(push_constants={"scale": 1, "base": 0, "more": [0] * 10000}),
                    "more than maxPushConstantsSize of the device, ")

    def test_repeats_start_anew_and_are_timed(self):
        report = self.run_graph(copy_graph(), "--repeat", "3")
        self.assertEqual(report["runs"], 3)
        for times in report["device_ms"], report["host_ms"]:
            self.assertEqual(len(times["all"]), 3)
            self.assertEqual(times["first"], times["all"][0])
            self.assertEqual(times["min"], min(times["all"][1:]))
            self.assertEqual(times["median"], sum(times["all"][1:]) / 2)
        first = self.run_graph(paint_graph(width=4, height=2, output="p.json"), "--repeat", "4")
        self.assertEqual(first["runs"], 4)
        self.assertEqual(self.output("p.json")[0][0][0], 1)

    def test_long_runs_show_progress_on_terminals(self):
        path = self.write("graph.json", copy_graph())
        tool = Terminal(*RUN.start, path, "-o", self.folder, "--repeat", "1000000")
        text = tool.read(until=b"running, [0-9]+ s")
        os.kill(tool.process, signal.SIGKILL)
        tool.close()
        self.assertRegex(text, "millrace: running, [0-9]+ s")

    def test_validation_finds_nothing_to_say(self):
        report = self.run_graph(copy_graph(), "--validate")
        self.assertEqual(report["messages"], [])
        self.assertEqual(self.run_graph(paint_graph(width=4, height=2), "--validate")["messages"], [])

    def test_text_report(self):
        graph = copy_graph(buffers=[{"name": "items", "binding": 1, "length": 2, "print": True}])
        result = RUN(self.write("graph.json", graph), "--repeat", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        for text in ["device:   ", "scratch:  ", "2 runs, device first ", ", then median ", "result:   items = {\"items\":[{\"value\":0.0"]:
            self.assertIn(text, result.stdout)

    def test_errors_of_the_layer_are_errors(self):
        graph = paint_graph(width=4, height=2)
        graph["dispatches"][0]["payloads"] = [{"grid": [17, 1, 1]}]
        report = self.run_graph(graph, status=1)
        self.assertTrue(any("09186" in message["id"] + message["text"] for message in report["messages"]), report)

    def hang(self, until, limit_ms=1500):
        """What the tool has written when what the pattern matches comes, of a graph that never ends."""
        self.write("hang.comp", """#version 460
layout(name = "hang", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;
layout(binding = 0) volatile buffer Flag { uint flag; };
void main() { while (flag == 0) ; }
""")
        graph = {"nodes": [{"file": "hang.comp"}], "buffers": [{"name": "flag", "binding": 0}],
                 "dispatches": [{"node": "hang"}]}
        tool = Terminal(*RUN.start, self.write("graph.json", graph), VK_MILLRACE_EMULATION_STEP_LIMIT_MS=str(limit_ms))
        written = tool.read(until=until)
        os.kill(tool.process, signal.SIGKILL)
        tool.close()
        return written

    def test_messages_come_while_the_graph_runs(self):
        self.assertIn("node hang[0]", self.hang(b"the limit of setting step_limit_ms"))

    def test_messages_come_above_the_progress(self):
        for limit_ms in (1500, 6000, 24000, 96000):
            written = self.hang(b"error.*running, [0-9]+ s", limit_ms)
            if "running" in written.partition("error")[0]:  # else the machine was too busy for both
                break
        lines = written.replace("\r\n", "\n").split("\n")
        self.assertRegex(lines[0], r"running, [0-9]+ s\r\x1b\[Kmillrace: \x1b\[31merror\x1b\[0m: Millrace-step-limit: .*hang\[0\]")
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[1], r"^millrace: running, [0-9]+ s")

    def test_recursion_that_is_not_declared_or_used_up_says_so(self):
        self.write("down.comp", """#version 460
layout(name = "down", static_grid = uvec3(1, 1, 1), recursion = DECLARED) node;
layout(local_size_x = 1) in;
struct Number { uint value; };
nodein Number number;
layout(node = "down") nodeout Number next[1];
layout(binding = 0) buffer Sum { uint sum; };
void main()
{
    sum += number.value;
    if (number.value > 0) {
        allocateInvocation(next, 1);
        next[0].value = number.value - 1;
        enqueue(next);
    }
}
""")
        for declared, words, total in [("0", "and it declares no recursion", 3), ("1", "where no recursion remains", 5),
                                       ("2", "where no recursion remains", 6), ("3", "", 6)]:
            for fusion in ["on", "off", "all"]:
                graph = {"nodes": [{"file": "down.comp", "define": {"DECLARED": declared}}],
                         "buffers": [{"name": "sum", "binding": 0, "print": True}],
                         "dispatches": [{"node": "down", "payloads": [{"value": 3}]}]}
                with self.subTest((declared, fusion)):
                    report = self.run_graph(graph, status=1 if words else 0,
                                            env={**os.environ, "VK_MILLRACE_EMULATION_FUSION": fusion})
                    self.assertEqual(report["results"]["sum"]["sum"], total)
                    self.assertIn(words, "".join(message["text"] for message in report["messages"]))

    # Expected results.

    def check(self, expected, status, *texts, graph=None):
        CHECK_SCHEMA.validate({"results": expected})
        path = self.write("check.json", {"results": expected})
        result = RUN(self.write("graph.json", graph or copy_graph()), "-o", self.folder, "--check", path)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for text in texts:
            self.assertIn(text, result.stdout + result.stderr)

    def test_check_accepts_what_is_right(self):
        right = [value(0), value(3, (0.1, -2), (-7, 8)), value(0), value(0)]
        self.check({"items": {"data": {"items": right}}}, 0, "as expected")
        self.check({"items": {"data": {"items": [{}, {"value": 3}, {}, {}]}}}, 0)
        self.check({"items": {"data": {"items": right[:2]}, "prefix": True}}, 0)
        self.check({"items": {"data": {"items": right[1:] + right[:1]}, "order": "any"}}, 0)
        self.check({"items": {"data": {"items": [{}, {"value": 3.01}, {}, {}]}, "tolerance": 0.01}}, 0)
        self.write("right.json", {"items": right})
        self.check({"items": {"file": "right.json"}}, 0)

    def test_check_names_the_first_difference(self):
        wrong = [value(0), value(3, (0.1, -3), (-7, 9)), value(0), value(0)]
        self.check({"items": {"data": {"items": wrong}}}, 1,
                   '"items": items[1].pair.y is -2.0, expected -3.0; 2 of 20 values differ')
        self.check({"items": {"data": {"items": [{}, {"value": 3.04}, {}, {}]}, "tolerance": 0.01}}, 1,
                   "items[1].value is 3.0, expected 3.04; 1 of 1 value differs")
        self.check({"items": {"data": {"items": [value(1), *wrong[1:]]}, "order": "any"}}, 1, "in order of their bytes")
        self.write("wrong.bin", b"\0" * 80)
        self.check({"items": {"file": "wrong.bin"}}, 1, "items[1].value is 3.0, expected 0.0; 5 of 20 values differ")
        image = [[[1, 0, 0, 0]] * 4, [[1, 16, 0, 0]] * 4]
        self.check({"picture": {"data": image}}, 1, '"picture": [0][1].y is 1, expected 0; 6 of 32 values differ',
                   graph=paint_graph(width=4, height=2))

    def test_check_file_errors_have_places(self):
        for results, message, pointer in [
                ({"itms": {"data": {}}}, 'did you mean "items"?', "/results/itms"),
                ({"items": {"data": {"items": []}, "tolerance": "x"}}, "a number is expected", "/results/items/tolerance"),
                ({"items": {"data": {"items": [value(0)]}}}, '"prefix": true', "/results/items"),
                ({"items": {"dat": 1}}, 'unknown key "dat"; did you mean "data"?', "/results/items/dat"),
                ({"items": {"sum": 1}}, 'unknown key "sum"; there are data, ', "/results/items/sum"),
                ({"items": {"data": {"items": [value(0)] * 5}}}, "does not fit", "/results/items/data/items/4"),
                ({}, "nothing is expected", "/results")]:
            path = self.write("check.json", {"results": results})
            error = RUN.json(self.write("graph.json", copy_graph()), "-o", self.folder, "--check", path,
                             status=1)["errors"][0]
            self.assertIn(message, error["message"])
            self.assertEqual(error["pointer"], pointer)
            self.assertEqual(error["source"], str(path))
            self.assertEqual((error["line"], error["column"]), self.find(path.read_text(), pointer))

    # What is wrong with graphs.

    def test_syntax_errors_have_places(self):
        for text, message, place in [("", "there is no JSON in it", (1, 1)), ("\n ", "there is no JSON in it", (1, 1)), ('{\n "nodes": [1,]}', "unexpected ']'", (2, 14)),
                                     ('{"a": 1,\n  "a": 2}', 'the key "a" appears twice', (2, 3)),
                                     ('{"é": tru}', "invalid literal", (1, 10)), ("[" * 1000, "too deeply", (1, 257)),
                                     ("\ufeff", "there is no JSON in it", (1, 1)), ('\ufeff{"é": tru}', "invalid literal", (1, 10)),
                                     ('\ufeff{"a": 1, "a": 2}', 'the key "a" appears twice', (1, 10)),
                                     ('\ufeff\n{"a": 1, "a": 2}', 'the key "a" appears twice', (2, 10))]:
            self.refuse(text, message, place=place)

    def test_standard_input_has_files_in_the_current_folder(self):
        with open(self.write("graph.json", copy_graph()), "rb") as file:
            result = RUN("-", "-o", self.folder, cwd=self.folder, stdin=file)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.write("graph.json", '{"nods": 1}')
        with open(self.folder / "graph.json", "rb") as file:
            result = RUN("-", stdin=file)
        self.assertEqual(result.stderr, 'millrace: error: <stdin>:1:10: unknown key "nods"; did you mean "nodes"?\n')

    def test_files_of_other_kinds_say_what_takes_them(self):
        for name, text in [("copy.comp", "'millrace compile' and 'millrace graph' take nodes in GLSL"),
                           ("x.mrtrace", "'millrace report' takes traces")]:
            self.write(name, "#version 460")
            result = RUN(self.folder / name)
            self.assertEqual(result.returncode, 1)
            self.assertIn(text, result.stderr)
            for command in LOWER, REPORT:
                if name == "copy.comp" or command == LOWER:
                    self.assertIn(text, command(self.folder / name).stderr)
        result = COMPILE(self.write("graph.json", copy_graph()))
        self.assertEqual(result.returncode, 1)
        self.assertIn("'millrace run' and 'millrace graph' take graphs in JSON", result.stderr)

    def test_what_the_schema_refuses_is_refused(self):
        """Both say no; the tool says where and what was meant."""
        launch = {"node": "copy", "payloads": [ITEM]}
        buffer = {"name": "items", "binding": 1, "length": 4}
        for changes, message, pointer in [
                ({"nods": []}, 'unknown key "nods"; did you mean "nodes"?', "/nods"),
                ({"nodes": None}, '"nodes" is missing', ""),
                ({"nodes": []}, "at least one is needed", "/nodes"),
                ({"nodes": {}}, "an array is expected, not an object", "/nodes"),
                ({"nodes": [{"file": 3}]}, "a string is expected, not a number", "/nodes/0/file"),
                ({"nodes": [{"file": "copy.comp", "indx": 3}]}, 'did you mean "index"?', "/nodes/0/indx"),
                ({"nodes": [{"file": "copy.comp", "index": -1}]}, "not -1", "/nodes/0/index"),
                ({"nodes": [{"file": "copy.comp", "index": 1, "count": 2}]}, '"index" already says', "/nodes/0/count"),
                ({"nodes": [{"file": "copy.comp", "count": 1, "indices": [2]}]}, '"count" already says',
                 "/nodes/0/indices"),
                ({"nodes": [{"file": "copy.comp", "count": 0}]}, "0 is not from 1 to 65536", "/nodes/0/count"),
                ({"nodes": [{"file": "copy.comp", "indices": []}]}, "at least one is needed", "/nodes/0/indices"),
                ({"nodes": [{"file": "copy.comp", "indices": [3, 3]}]}, "is here twice", "/nodes/0/indices/1"),
                ({"nodes": [{"file": "copy.comp", "index": 4294967295}]}, "4294967295 is not from 0", "/nodes/0/index"),
                ({"buffers": [{**buffer, "binding": "1"}]}, "a whole number", "/buffers/0/binding"),
                ({"buffers": [{"binding": 1}]}, '"name" is missing', "/buffers/0"),
                ({"buffers": [{**buffer, "size": 8}]}, "already says how large", "/buffers/0/length"),
                ({"buffers": [{**buffer, "data": {}, "file": "x.bin"}]}, '"data" already gives', "/buffers/0/file"),
                ({"buffers": [{**buffer, "output": "x.txt"}]}, "outputs end in", "/buffers/0/output"),
                ({"buffers": [{**buffer, "print": 1}]}, "true or false", "/buffers/0/print"),
                ({"dispatches": [{**launch, "form": "indirekt"}]}, 'did you mean "indirect"?', "/dispatches/0/form"),
                ({"dispatches": [{"payloads": []}]}, '"node" is missing', "/dispatches/0"),
                ({"dispatches": [{"launches": [launch], "node": "copy"}]}, 'unknown key "node"', "/dispatches/0/node"),
                ({"dispatches": [{"launches": [{**launch, "form": "host"}]}]}, 'unknown key "form"',
                 "/dispatches/0/launches/0/form"),
                ({"scratch": "minn"}, 'did you mean "min"?', "/scratch"),
                ({"scratch": 0}, "0 is not from 1", "/scratch"),
                ({"device": 0}, "a string is expected", "/device")]:
            with self.subTest(changes):
                graph = copy_graph(**changes)
                self.assertFalse(SCHEMA.is_valid(graph))
                self.refuse(graph, message, pointer=pointer)

    def test_what_shaders_refuse_has_a_place(self):
        launch = {"node": "copy", "payloads": [ITEM]}
        payload = "/dispatches/0/payloads/0"
        buffer = {"name": "items", "binding": 1, "length": 4}
        for changes, message, pointer in [
                ({"dispatches": [{**launch, "node": "cope"}]}, 'no node "cope"; did you mean "copy"?', "/dispatches/0/node"),
                ({"dispatches": [{**launch, "index": 1}]}, "has no index 1; there is 0", "/dispatches/0"),
                ({"dispatches": [{"node": "copy"}]}, "takes {at, value, pair, whole}", "/dispatches/0"),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "valu": 1}]}]}, 'did you mean "value"?', payload + "/valu"),
                ({"dispatches": [{**launch, "payloads": [{"at": 1}]}]}, 'member "value" is missing', payload),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "at": -1}]}]}, "-1 does not fit into uint", payload + "/at"),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "at": 1.5}]}]}, "a whole number", payload + "/at"),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "pair": [1]}]}]}, "2 values are expected", payload + "/pair"),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "pair": [1, "x"]}]}]}, "a number", payload + "/pair/1"),
                ({"dispatches": [{**launch, "payloads": [{**ITEM, "whole": [1, 2147483648]}]}]}, "does not fit into int",
                 payload + "/whole/1"),
                ({"dispatches": [{**launch, "payloads": "none.csv"}]}, "cannot read the file", None),
                ({"dispatches": [{**launch, "payloads": "none.txt"}]}, "end in .json", "/dispatches/0/payloads"),
                ({"push_constants": {"scal": 1}}, 'did you mean "scale"?', "/push_constants/scal"),
                ({"push_constants": {"scale": 1}}, '"push_constants" must say "base"', "/dispatches/0"),
                ({"push_constants": [1]}, "2 values are expected", "/push_constants"),
                ({"nodes": [{"file": "none.comp"}]}, "cannot read", "/nodes/0/file"),
                ({"nodes": [{"file": "none.spv"}]}, "cannot read", "/nodes/0/file"),
                ({"nodes": [{"file": "copy.comp"}] * 2}, "is here twice", "/nodes/1"),
                ({"nodes": [{"file": "copy.comp", "specialization": {"FACTR": 1}}]}, 'did you mean "FACTOR"?',
                 "/nodes/0/specialization/FACTR"),
                ({"nodes": [{"file": "copy.comp", "specialization": {"4": 1}}]}, "true or false",
                 "/nodes/0/specialization/4"),
                ({"nodes": [{"file": "copy.comp", "entry": "x"}]}, "'x'", "/nodes/0"),
                ({"buffers": []}, 'a storage buffer "Items" at set 0, binding 1', "/nodes/0"),
                ({"buffers": [{"name": "items", "binding": 1}]}, "how large is the buffer?", "/buffers/0"),
                ({"buffers": [buffer, {**buffer, "binding": 2}]}, 'two resources are called "items"', "/buffers/1/name"),
                ({"buffers": [buffer, {**buffer, "name": "b"}]}, "already at set 0, binding 1", "/buffers/1/binding"),
                ({"buffers": [{**buffer, "output": "x.png"}]}, "PNG is for images", "/buffers/0/output"),
                ({"buffers": [{**buffer, "data": {"items": [value(0)] * 5}}]}, "does not fit into 80 bytes",
                 "/buffers/0/data/items/4"),
                ({"buffers": [{**buffer, "data": {"item": []}}]}, 'did you mean "items"?', "/buffers/0/data/item"),
                ({"buffers": [{**buffer, "file": "none.bin"}]}, "cannot read", "/buffers/0/file"),
                ({"buffers": None, "images": [{"name": "i", "binding": 1, "width": 1, "height": 1}]},
                 'nodes have a storage buffer "Items" here', "/images/0")]:
            with self.subTest(changes):
                graph = copy_graph(**changes)
                SCHEMA.validate(graph)
                self.refuse(graph, message, pointer=pointer)

    def test_images_that_do_not_fit_have_a_place(self):
        size = {"width": 4, "height": 2}
        for image, message, pointer in [
                ({"width": 4}, '"height" is missing', "/images/0"),
                ({**size, "format": "rgba8"}, 'the nodes say "rgba8ui"', "/images/0/format"),
                ({**size, "format": "rgba9"}, 'did you mean "rgba8"?', "/images/0/format"),
                ({**size, "fill": [1, 2, 3]}, "4 values are expected", "/images/0/fill"),
                ({**size, "file": "copy.png"}, "cannot read", "/images/0/file"),
                ({**size, "output": "x.csv"}, "CSV is for buffers", "/images/0/output")]:
            with self.subTest(image):
                self.refuse(paint_graph(**image), message, pointer=pointer)

    def test_any_other_value_anywhere_is_an_error_or_runs(self):
        def places(value, path=()):
            yield path
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, inner in items:
                yield from places(inner, (*path, key))

        for path in list(places(copy_graph()))[1:]:
            for wrong in [None, -1, {"x": []}, 1e300]:
                graph = json.loads(json.dumps(copy_graph()))
                holder = graph
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = wrong
                result = RUN(self.write("graph.json", graph), "-o", self.folder)
                self.assertIn(result.returncode, [0, 1], (path, wrong, result.stderr))
                self.assertEqual(result.returncode == 1, "millrace: error: " in result.stderr, (path, wrong))

    def test_csv_errors_have_places(self):
        header = "at,value,pair.x,pair.y,whole[0],whole[1]\n"
        for text, message, place in [
                ("", "a first line", (1, 1)), ("at,valu\n", 'did you mean "value"?', (1, 4)),
                ("at\n1\n", 'the column "value" is missing', (1, 1)), ("at,at\n", "appears twice", (1, 4)),
                (header + "1,2,3,4,5\n", "5 fields, the first line has 6", (2, 1)),
                (header + "1,2,3,4,5,6\n1,2,x,4,5,6\n", '"x" is not a number', (3, 5)),
                (header + "1,2,3,4,5,9999999999\n", "does not fit into int", (2, 11)),
                (header + '1,2,"3,4,5,6\n', "never closed", (2, 5))]:
            with self.subTest(text):
                path = self.write("p.csv", text)
                graph = copy_graph(dispatches=[{"node": "copy", "payloads": "p.csv"}])
                error = RUN.json(self.write("graph.json", graph), status=1)["errors"][0]
                self.assertIn(message, error["message"])
                self.assertEqual((error["source"], error["line"], error["column"]), (str(path), *place))

    def test_errors_of_glsl_point_into_the_shader(self):
        self.write("copy.comp", COPY.replace("= base", "= bas"))
        result = RUN(self.write("graph.json", copy_graph()))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.folder / 'copy.comp'}:22:21: error: 'bas' : undeclared identifier\n"
                      "        const uint at = bas + item.at * FACTOR;\n                        ^\n", result.stderr)

    def test_wrong_usage_and_devices(self):
        path = self.write("graph.json", copy_graph())
        for arguments in [["--scratch", "some"], ["--form", "x"], ["--repeat", "0"], ["-o", path]]:
            self.assertEqual(RUN(path, *arguments).returncode, 2, arguments)
        self.assertEqual(RUN(path, "-o", self.folder, "--device", "0").returncode, 0)
        huge = copy_graph(buffers=[{"name": "items", "binding": 1, "size": 1 << 60}])
        self.refuse(huge, "is not from 1 to ", pointer="/buffers/0/size")
        self.write("paint.comp", PAINT.replace("rgba8ui", "rgba32ui"))
        self.refuse(paint_graph(width=65536, height=65536), " pixels", pointer="/images/0")  # 64 GiB
        # All memory that the machine has, of which some is always taken.
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
        huge = copy_graph(buffers=[{"name": "items", "binding": 1, "size": total}])
        self.refuse(huge, "is not from 1 to ", pointer="/buffers/0/size")
        path = self.write("graph.json", copy_graph())
        result = RUN(path, "--device", "no such device")
        self.assertEqual(result.returncode, 1)
        self.assertIn('no device has "no such device" in its name; there is device 0: ', result.stderr)
        self.assertNotIn("the driver lacks", result.stderr)
        result = RUN(path, "--device", "77")
        self.assertEqual((result.returncode, result.stderr.count("there is no device 77; there is device 0: ")), (1, 1))
        result = RUN(path, env={**os.environ, "VK_DRIVER_FILES": "/none.json"})
        self.assertIn('there is no Vulkan driver: VK_DRIVER_FILES names "/none.json", which is not there', result.stderr)
        # What was made until then is destroyed, or the validation layer would speak of it.
        report = RUN.json(path, "-o", self.folder, "--scratch", "1", "--validate", status=1)
        self.assertIn("needs at least", report["errors"][0]["message"])
        self.assertEqual(report["messages"], [])
        self.assertEqual(RUN(self.folder / "none.json").returncode, 1)

    def test_show_names_what_is_there(self):
        path = self.write("graph.json", copy_graph())
        for show, message in [
                ("cpy", 'the graph has no node "cpy"; did you mean "copy"?'), ("copy[3]", 'no node "copy" with index 3'),
                ("copy where valu > 1", 'the payload of \'copy\' has no member "valu" in {at, value, pair, whole}; did you mean '
                                        '"value"?'),
                ("copy where pair.z > 1", 'no member "pair.z"'), ("copy where @24 > 1", 'no member "@24" in 24 bytes'),
                ("copy where at > x", 'member "at" of \'copy\': "x" is not a whole number')]:
            with self.subTest(show):
                result = RUN(path, "-o", self.folder, "--show", show)
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn("--show: ", result.stderr)
                self.assertIn(message, result.stderr)
        self.assertEqual(len(self.run_graph(copy_graph(), "--show", "copy where @0 == 1")["shown"]), 1)

    def test_layer_is_found_also_where_a_search_path_is_set(self):
        path = self.write("graph.json", copy_graph())
        for name in ["VK_LAYER_PATH", "VK_ADD_LAYER_PATH"]:
            result = RUN(path, "-o", self.folder, env={**os.environ, name: str(self.folder)})
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_without_layer_it_says_what_to_do(self):
        """The tool alone, where the loader finds no layers."""
        tool = shutil.copy(sys.argv[1], self.folder / "millrace")
        environment = {key: value for key, value in os.environ.items() if key != "VK_ADD_LAYER_PATH"}
        environment["VK_LAYER_PATH"] = str(self.folder)
        result = Command(tool, "run")(self.write("graph.json", copy_graph()), env=environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("does not find VK_LAYER_MILLRACE_emulation", result.stderr)
        self.assertIn("VK_ADD_LAYER_PATH", result.stderr)
        result = Command(tool, "run")(self.folder / "graph.json", "--validate", env=environment)
        self.assertIn("vulkan-validationlayers", result.stderr)

    def test_payloads_of_many_rows_take_seconds_at_most(self):
        rows = "".join(f"{i % 4},{i},1,2,3,4\n" for i in range(200000))
        self.write("p.csv", "at,value,pair.x,pair.y,whole[0],whole[1]\n" + rows)
        graph = copy_graph(dispatches=[{"node": "copy", "payloads": "p.csv"}])
        start = time.monotonic()
        self.assertTrue(all(item["pair"] == [1, 2] for item in self.items(graph)))
        self.assertLess(time.monotonic() - start, 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

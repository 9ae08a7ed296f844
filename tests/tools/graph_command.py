#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace graph` from outside: usage: graph_command.py MILLRACE FOLDER_OF_BINARIES FOLDER_OF_ASSEMBLY"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

from command_line import Command

GRAPH = Command(sys.argv[1], "graph")
COMPILE = Command(sys.argv[1], "compile")
SHADERS, ASSEMBLY = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SVG = "{http://www.w3.org/2000/svg}"
# A node that takes single words, and one that sends them to nodes of this name, each invocation one.
SINGLE = """
    OpCapability Shader
    OpCapability ShaderEnqueueAMDX
    OpExtension "SPV_AMDX_shader_enqueue"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "NAME"
    MODES
    OpMemberDecorate %Item 0 Offset 0
    OpDecorateId %Items NodeMaxPayloadsAMDX %u8
    OpDecorateId %Items PayloadNodeNameAMDX %target
    %void = OpTypeVoid
    %func = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u2 = OpConstant %uint 2
    %u4 = OpConstant %uint 4
    %u8 = OpConstant %uint 8
    %target = OpConstantStringAMDX "TARGET"
    %Item = OpTypeStruct %uint
    %Items = OpTypeNodePayloadArrayAMDX %Item
    %np_Items = OpTypePointer NodePayloadAMDX %Items
    %main = OpFunction %void None %func
    %entry = OpLabel
    BODY
    OpReturn
    OpFunctionEnd"""


def single(name):
    modes = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX"
    return SINGLE.replace("NAME", name).replace("MODES", modes).replace("BODY", "")


def sender(name, target, scope="%u4"):
    modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1"
    body = f"%sent = OpAllocateNodePayloadsAMDX %np_Items {scope} %u1 %u0\nOpEnqueueNodePayloadsAMDX %sent"
    return SINGLE.replace("NAME", name).replace("TARGET", target).replace("MODES", modes).replace("BODY", body)


def shaders(*names):
    return [SHADERS / f"{name}.spv" for name in names]


def array(indices):
    """The graph of the node array programs, with these members."""
    return [*shaders("array_a_value"), *[word for i in indices for word in ("--node", f"arr:{i}={SHADERS}/array_n.spv")]]


class Drawing:
    """Boxes and arrows of an SVG file."""

    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        assert self.root.tag == SVG + "svg", self.root.tag
        self.nodes, self.edges, self.shared = {}, [], []
        for group in self.root.iter(SVG + "g"):
            title = group.find(SVG + "title")
            words = group.get("class").split()
            texts = [text.text for text in group.findall(SVG + "text")]
            if words[0] == "node":
                self.nodes[title.text] = texts
            elif words[0] == "edge":
                (self.shared if "shared-input" in words else self.edges).append((*title.text.split("->"), *texts))

    def ranks(self):
        """Height of each box's middle, downwards."""
        out = {}
        for group in self.root.iter(SVG + "g"):
            if group.get("class").split()[0] == "node":
                heights = [float(text.get("y")) for text in group.findall(SVG + "text")]
                out[group.find(SVG + "title").text] = sum(heights) / len(heights)
        return out


class GraphCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draw(self, *arguments):
        path = self.folder / "graph.svg"
        result = GRAPH(*arguments, "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return Drawing(path)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return path

    def assertFails(self, result, status, *texts):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)

    # What a graph that keeps the rules looks like.

    def test_table_has_nodes_outputs_levels_and_scratch(self):
        result = GRAPH(*shaders("level_a", "level_b"))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertIn("a[0] static 1 x 1 x 1 8 x 1 x 1 4 bytes 1".split(), rows)
        self.assertIn("b[0] dynamic payload byte 0, up to 8 x 1 x 1 4 x 1 x 1 16 bytes 2 no API entry".split(), rows)
        self.assertIn("a[0] 0 b[0] at most 8 16 bytes".split(), rows)
        self.assertIn("2 nodes, 2 levels", result.stdout)
        self.assertRegex(result.stdout, r"scratch memory: from \d+ to \d+ bytes in steps of \d+")
        self.assertNotIn("\033", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_a_deep_recursion_is_drawn_with_the_levels_on_which_nodes_begin(self):
        source = self.write("deep.comp", """#version 460
            layout(name = "deep", static_grid = uvec3(1, 1, 1), recursion = 200) node;
            layout(local_size_x = 1) in;
            struct Item { uint value; };
            nodein Item item;
            layout(node = "deep") nodeout Item items[1];
            layout(node = "last") nodeout Item ends[1];
            void main()
            {
                allocateWorkgroup(items, remainingRecursion() > 0 ? 1 : 0);
                enqueue(items);
                allocateWorkgroup(ends, remainingRecursion() > 0 ? 0 : 1);
                enqueue(ends);
            }""")
        last = self.write("last.spvasm", single("last"))
        drawing = self.draw(source, last)
        levels = [name for name in drawing.nodes if name.startswith("level ")]
        self.assertEqual(levels, ["level 1", "level 202"])
        self.assertIn("recursion 200, levels 1-201", drawing.nodes["deep[0]"])

    def test_a_dark_page_has_light_text_on_other_colours(self):
        """What has a colour of its own has another where the page is dark."""
        drawing = self.draw(*shaders("level_a", "level_b", "coalesce_a", "coalesce_c"))
        style = drawing.root.find(SVG + "style").text
        self.assertIn("prefers-color-scheme: dark", style)
        colours = {value for shape in drawing.root.iter() for key in ("fill", "stroke") if (value := shape.get(key))}
        for colour in colours - {"none", "transparent"}:
            self.assertIn(f'"{colour}"', style)

    def test_payloads_that_sender_and_receiver_see_otherwise_are_told(self):
        send = self.write("send.comp", """#version 460
            layout(name = "send", static_grid = uvec3(1, 1, 1)) node;
            layout(local_size_x = 1) in;
            struct Item { float weight; uint next; };
            layout(node = "take") nodeout Item items[1];
            void main() { allocateWorkgroup(items, 1); items[0].weight = 1; items[0].next = 2; enqueue(items); }""")
        take = """#version 460
            layout(name = "take", static_grid = uvec3(1, 1, 1)) node;
            layout(local_size_x = 1) in;
            struct Item { MEMBERS };
            nodein Item item;
            layout(binding = 0) buffer Sum { uint sum; };
            void main() { sum = item.next; }"""
        same = self.write("same.comp", take.replace("MEMBERS", "float mass; uint next;"))
        other = self.write("other.comp", take.replace("MEMBERS", "uint next; float weight;"))
        self.assertEqual(GRAPH(send, same).stderr, "")
        warning = ("node 'send' sends 'take' other payloads than that receives: byte 0 is 'float weight' there and "
                   "'uint next' here")
        self.assertIn(warning, GRAPH(send, other).stderr)
        self.assertIn(warning, GRAPH.json(send, other)["warnings"])

    def test_what_code_in_spirv_seldom_means_is_told_with_its_line(self):
        source = self.write("some.comp", """#version 460
            layout(name = "some", static_grid = uvec3(1, 1, 1), recursion = 1) node;
            layout(local_size_x = 8) in;
            struct Item { uint value; };
            layout(node = "some") nodeout Item items[4];
            nodein Item item;
            void main()
            {
                if (gl_LocalInvocationIndex == 0) {
                    allocateWorkgroup(items, 5);
                    items[0].value = item.value;
                    enqueue(items);
                    items[0].value = 1;
                }
            }""")
        plain, lines = self.folder / "plain.spv", self.folder / "lines.spv"
        self.assertEqual(COMPILE(source, "-o", plain).returncode, 0)
        self.assertEqual(COMPILE(source, "-g", "-o", lines).returncode, 0)
        texts = ["only some invocations of the workgroup come here", "5 payloads for 'some' are allocated",
                 "are used behind their enqueue"]
        for module, place in (plain, f"{plain}: warning: entry point 'some': "), (lines, f"{source}:10: warning: "):
            said = GRAPH(module).stderr
            for text in texts:
                self.assertIn(text, said)
            self.assertIn(place, said)
        self.assertEqual(GRAPH(source).stderr.count("warning: "), 3)  # those of the compiler alone

    def test_errors_of_the_compiler_are_written_as_it_says_them(self):
        """An editor knows the form, and a program counts each once."""
        source = self.write("bad.comp", """#version 460
            layout(name = "bad", static_grid = uvec3(1, 1, 1)) node;
            layout(binding = 0) buffer Sum { uint sum; };
            void main()
            {
                sum = none + 1;
                sum = 1.5;
            }""")
        compiled = COMPILE(source, "-o", self.folder / "bad.spv")
        result = GRAPH(source, "absent.spv", "--json")
        own = [line for line in result.stderr.splitlines(True) if line.startswith("millrace: ")]
        self.assertEqual(own, ["millrace: error: absent.spv: cannot read the file: No such file or directory\n"])
        self.assertEqual(result.stderr, compiled.stderr + own[0])
        errors = json.loads(result.stdout)["errors"]
        self.assertEqual([(e["source"], e.get("line"), e.get("column")) for e in errors],
                         [(str(source), 6, 23), (str(source), 7, 21), ("absent.spv", None, None)])
        self.assertEqual(errors[0]["message"], "'none' : undeclared identifier")
        description = self.write("graph.json", '{"nodes": [{"file": "bad.comp"}], "dispatches": [{"node": "bad"}]}')
        (error,) = GRAPH.json(description, status=1)["errors"]
        self.assertEqual((error["source"], error["line"], error["column"]), (str(description), 1, 21))
        self.assertIn(f"{source}:6:23: error: 'none'", error["message"])

    def test_standard_input_may_be_json_glsl_or_a_module(self):
        example = ASSEMBLY.parents[2] / "examples/first_graph"
        module = self.folder / "last.spv"
        with open(example / "add.comp", "rb") as source:
            made = COMPILE("-", "-o", module, "-I", example, stdin=source)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            source.seek(0)
            wanted = [("add", "<stdin>")]
            self.assertEqual([(n["name"], n["file"]) for n in GRAPH.json("-", stdin=source, cwd=example)["nodes"]], wanted)
        assembly = self.write("last.spvasm", single("add"))
        for path in [module, assembly]:
            with open(path, "rb") as file:
                self.assertEqual([(n["name"], n["file"]) for n in GRAPH.json("-", stdin=file)["nodes"]], wanted)
        with open(example / "graph.json", "rb") as file:
            self.assertEqual(len(GRAPH.json("-", stdin=file, cwd=example)["nodes"]), 2)
        result = GRAPH("-", stdin=subprocess.DEVNULL)
        self.assertFails(result, 1, "<stdin>: not SPIR-V")
        for arguments in [["-"], ["-", assembly, "-o", self.folder]]:
            self.assertFails(COMPILE(*arguments, stdin=subprocess.DEVNULL), 2, "standard input has no name", "-o FILE")

    def test_push_constants_are_no_matter(self):
        """They are for the pipeline layout to say, which this command does not know."""
        module = self.folder / "test.spv"
        result = COMPILE(ASSEMBLY.parents[2] / "examples/coalescing/test.comp", "-o", module)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([node["name"] for node in GRAPH.json(module)["nodes"]], ["test"])

    def test_json_says_the_same(self):
        graph = GRAPH.json(*shaders("level_a", "level_b"))
        a, b = graph["nodes"]
        self.assertEqual((a["name"], a["index"], a["launch"], a["levels"]),
                         ("a", 0, {"mode": "static", "grid": [1, 1, 1]}, [1]))
        self.assertEqual(a["file"], str(SHADERS / "level_a.spv"))
        self.assertEqual((b["launch"]["mode"], b["launch"]["maxGrid"], b["localSize"], b["payloadBytes"], b["apiEntry"]),
                         ("dynamic", [8, 1, 1], [4, 1, 1], 16, False))
        output = a["outputs"][0]
        self.assertEqual((output["target"], output["maxPayloads"], output["payloadBytes"]), ("b", 8, 16))
        self.assertEqual(graph["edges"], [{"from": 0, "output": 0, "to": 1}])
        self.assertEqual(graph["levelCount"], 2)
        self.assertEqual(graph["errors"], [])
        self.assertLess(graph["scratch"]["minBytes"], graph["scratch"]["maxBytes"])
        self.assertLessEqual(graph["scratch"]["maxBytes"], 256 << 20)

    def test_largest_scratch_size_can_be_chosen(self):
        graph = GRAPH.json(*shaders("level_a", "level_b"), "--max-scratch-mib", 2)
        self.assertLessEqual(graph["scratch"]["maxBytes"], 2 << 20)
        self.assertGreater(graph["scratch"]["maxBytes"], 1 << 20)

    def test_recursion_takes_one_level_each(self):
        graph = GRAPH.json(*shaders("recurse"))
        self.assertEqual(graph["nodes"][0]["maxRecursion"], 4)
        self.assertEqual(graph["nodes"][0]["levels"], [1, 2, 3, 4, 5])
        self.assertEqual(graph["edges"], [{"from": 0, "output": 0, "to": 0}])

    def test_shared_budgets_and_several_entry_points(self):
        result = GRAPH(*shaders("dxc_a", "dxc_n"))
        self.assertIn("at most 16 with output 0", result.stdout)
        names = {node["name"] for node in GRAPH.json(*shaders("dxc_a", "dxc_n"))["nodes"]}
        self.assertEqual(names, {"main", "thread", "group", "empty"})

    def test_node_names_an_entry_point(self):
        graph = GRAPH.json("--node", f"here:3={SHADERS}/dxc_n.spv@group")
        self.assertEqual([(n["name"], n["index"], n["entryPoint"]) for n in graph["nodes"]], [("here", 3, "group")])

    def test_assembly_text_gives_the_same(self):
        text = GRAPH.json(ASSEMBLY / "level_a.spvasm", ASSEMBLY / "level_b.spvasm")
        binary = GRAPH.json(*shaders("level_a", "level_b"))
        for node in [*text["nodes"], *binary["nodes"]]:
            del node["file"]
        self.assertEqual(text, binary)

    def test_equal_nodes_of_an_array_are_one(self):
        graph = GRAPH.json(*array([1, 2, 4]))
        self.assertEqual([group["name"] for group in graph["groups"]], ["choose[0]", "arr[1-2, 4]"])
        self.assertEqual(len(graph["nodes"]), 4)

    def test_consumers_inside_their_producer(self):
        files = [self.write("a.spvasm", sender("a", "b")), self.write("b.spvasm", single("b")),
                 self.write("c.spvasm", sender("c", "d", "%u2")), self.write("d.spvasm", single("d"))]
        rows = [" ".join(line.split()) for line in GRAPH(*files).stdout.splitlines()]
        self.assertIn("from to runs inside its producer", rows)
        self.assertIn("'a'[0] 'b' yes", rows)
        self.assertIn("'c'[0] 'd' no: payloads are allocated by workgroups", rows)
        graph = GRAPH.json(*files)
        self.assertEqual(graph["fusion"], [
            {"from": "'a'[0]", "to": "b", "fused": True},
            {"from": "'c'[0]", "to": "d", "fused": False, "why": "payloads are allocated by workgroups"}])
        # Levels and scratch memory are those of the graph as the application made it.
        self.assertEqual(graph["levelCount"], 2)

    def test_graphs_that_send_nothing_say_nothing_of_fusion(self):
        file = self.write("b.spvasm", single("b"))
        self.assertNotIn("runs inside", GRAPH(file).stdout)
        self.assertEqual(GRAPH.json(file)["fusion"], [])

    def test_says_what_needs_no_scheduler(self):
        file = self.write("b.spvasm", single("b"))
        self.assertIn("without scheduler: b[0]\n", GRAPH(file).stdout)
        self.assertEqual(GRAPH.json(file)["leaves"], [0])
        self.assertIn("without scheduler: no node\n", GRAPH(*shaders("level_a", "level_b")).stdout)
        self.assertEqual(GRAPH.json(*shaders("level_a", "level_b"))["leaves"], [])

    # What is allowed and seldom meant.

    def test_output_to_nobody_is_a_warning(self):
        result = GRAPH(*shaders("array_a_value"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: node choose[0], output 0 to 'arr' reaches no node", result.stderr)
        self.assertEqual(len(GRAPH.json(*shaders("array_a_value"))["warnings"]), 1)

    def test_node_that_nothing_reaches_is_a_warning(self):
        result = GRAPH(*shaders("level_b"))
        self.assertIn("node b[0] never runs: it is no API entry and no node enqueues to it", result.stderr)
        self.assertIn("node twin[0] never runs: there is no node 'base'[0] whose input it could share",
                      GRAPH(*shaders("share_twin")).stderr)

    # What is wrong.

    def test_payload_too_small_for_the_target_names_node_and_output(self):
        text = (ASSEMBLY / "level_a.spvasm").read_text()
        text = text.replace("OpTypeStruct %uint3 %uint", "OpTypeStruct %uint3").replace(
            "OpMemberDecorate %ToB 1 Offset 12", "")
        text = "\n".join(line for line in text.splitlines()
                         if "%idptr" not in line)
        result = GRAPH(self.write("a.spvasm", text), *shaders("level_b"))
        self.assertFails(result, 1, "VUID 09139", "node 'a'[0], output 0 to 'b'", "the payload has 12 bytes",
                         "'b'[0] has 16")

    def test_missing_member_of_an_array(self):
        self.assertFails(GRAPH(*shaders("level_a")), 1, "there is no node 'b'[0]", "output 0 to 'b'", "VUID 10184")

    def test_two_nodes_of_one_name_names_both_files(self):
        self.assertFails(GRAPH(*shaders("level_b"), "--node", f"b={SHADERS}/single_array.spv"), 1,
                         "two nodes have this name and index", "level_b.spv", "single_array.spv", "VUID 09134")

    def test_nodes_of_one_name_launched_differently(self):
        self.assertFails(GRAPH(*shaders("level_a", "level_b"), "--node", f"b:1={SHADERS}/recurse.spv"), 1, "node 'b'[1]",
                         "VUID 09135")

    def test_errors_as_json(self):
        graph = GRAPH.json(*shaders("level_a"), status=1)
        self.assertEqual(len(graph["errors"]), 1)
        self.assertIn("there is no node 'b'[0]", graph["errors"][0]["message"])
        self.assertEqual(graph["errors"][0]["where"], "node 'a'[0], output 0 to 'b'")

    def test_every_bad_file_is_reported(self):
        text = self.write("text.spvasm", "no assembly\n")
        binary = self.folder / "binary.spv"
        binary.write_bytes(bytes(64))
        plain = self.folder / "cut.spv"
        plain.write_bytes(shaders("level_a")[0].read_bytes()[:200])
        result = GRAPH("absent.spv", text, binary, plain, self.folder)
        self.assertFails(result, 1, "absent.spv: cannot read the file", "text.spvasm: spirv: cannot assemble",
                         "binary.spv: not SPIR-V", "cut.spv", f"{self.folder}: cannot read the file")
        self.assertEqual(result.stderr.count("error:"), 5, result.stderr)

    def test_wrong_usage(self):
        module = shaders("level_a")[0]
        for arguments in [[], ["--nonsense"], [module, "--node", "b"], [module, "--node", "=file"],
                          [module, "--json", "-o", "-"], [module, "-o", "x.pdf"], [module, "--max-scratch-mib", "much"]]:
            self.assertFails(GRAPH(*arguments), 2, "--help")

    def test_several_entry_points_need_a_choice(self):
        self.assertFails(GRAPH("--node", f"x={SHADERS}/dxc_n.spv"), 1, "3 entry points of nodes", "FILE@ENTRY")
        self.assertFails(GRAPH("--node", f"x={SHADERS}/dxc_n.spv@none"), 1, "no compute entry point", "none")

    def test_drawing_that_cannot_be_written(self):
        self.assertFails(GRAPH(*shaders("recurse"), "-o", pathlib.Path(__file__) / "x.svg"), 1,
                         "x.svg: Not a directory")

    def test_standard_output_that_cannot_be_written(self):
        for arguments in [[], ["--json"], ["-o", "-"]]:
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([*GRAPH.start, *shaders("recurse"), *arguments], stdout=full,
                                        stderr=subprocess.PIPE, text=True, check=False, timeout=3600)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertEqual(result.stderr, "millrace: error: cannot write to standard output\n")

    def test_help(self):
        result = GRAPH("--help")
        self.assertEqual(result.returncode, 0)
        for text in ["--node", "--json", "--output", "Exit status"]:
            self.assertIn(text, result.stdout)

    # The drawing.

    def test_drawing_has_every_node_and_edge_and_the_levels_on_which_nodes_begin(self):
        drawing = self.draw(*shaders("recurse", "level_a", "level_b", "coalesce_a", "coalesce_c"))
        self.assertEqual(set(drawing.nodes), {"recurse[0]", "a[0]", "b[0]", "scatter[0]", "gather[0]",
                                              "level 1", "level 2"})
        self.assertEqual(sorted(drawing.edges), [("a[0]", "b[0]", "at most 8", "16 bytes"),
                                                 ("recurse[0]", "recurse[0]", "at most 2", "4 bytes"),
                                                 ("scatter[0]", "gather[0]", "at most 64", "4 bytes")])
        self.assertIn("recursion 4, levels 1-5", drawing.nodes["recurse[0]"])
        ranks = drawing.ranks()
        for upper, lower in [("a[0]", "b[0]"), ("scatter[0]", "gather[0]"), ("level 1", "level 2")]:
            self.assertLess(ranks[upper], ranks[lower])
        self.assertAlmostEqual(ranks["a[0]"], ranks["level 1"], delta=10)
        self.assertAlmostEqual(ranks["gather[0]"], ranks["level 2"], delta=10)

    def test_drawing_shows_shared_inputs(self):
        drawing = self.draw(*shaders("share_a", "share_base", "share_twin", "share_extra"))
        self.assertEqual(drawing.edges, [("send[0]", "base[0]", "at most 3", "4 bytes")])
        self.assertEqual(sorted(drawing.shared), [("base[0]", "extra[0]"), ("base[0]", "twin[0]")])
        self.assertIn("shares the input of base[0]", drawing.nodes["twin[0]"])

    def test_drawing_shows_names_that_no_node_has(self):
        drawing = self.draw(*shaders("array_a_value"))
        self.assertIn("no such node", drawing.nodes["arr (no such node)"])
        self.assertEqual([edge[:2] for edge in drawing.edges], [("choose[0]", "arr (no such node)")])

    def test_drawing_to_standard_output(self):
        result = GRAPH(*shaders("recurse"), "-o", "-")
        self.assertEqual(ElementTree.fromstring(result.stdout.encode()).tag, SVG + "svg")

    def test_names_are_text_wherever_they_appear(self):
        name = 'a<b>&amp;\\N\\n"\'\N{GREEK SMALL LETTER ALPHA}'
        arguments = ["--node", f"{name}:2={SHADERS}/single_array.spv"]
        self.assertIn(f"{name}[2]", GRAPH(*arguments).stdout)
        drawing = self.draw(*arguments)
        self.assertEqual(set(drawing.nodes), {f"{name}[2]", "level 1"})
        self.assertEqual(drawing.nodes[f"{name}[2]"][0], f"{name}[2]")

    def test_names_that_are_no_text_do_no_harm(self):
        arguments = ["--node", b"x\x1b[31m\xff\xc2\x9b:0=".decode("utf-8", "surrogateescape") +
                     f"{SHADERS}/single_array.spv"]
        name = "x\ufffd[31m\ufffd\ufffd[0]"
        self.assertIn(name, GRAPH(*arguments).stdout)
        self.assertEqual(GRAPH.json(*arguments)["groups"][0]["name"], name)
        self.assertIn(name, self.draw(*arguments).nodes)
        self.assertIn("\ufffd[31m", GRAPH(*arguments, *arguments).stderr)

    # Large graphs.

    def test_thousand_nodes_of_an_array_are_two_boxes(self):
        drawing = self.draw(*array(range(1000)))
        # The array begins at index 1, and leads to all nodes behind that, though it declares a size of 6.
        self.assertEqual(set(drawing.nodes), {"choose[0]", "arr[1-999]", "arr[0]", "level 1", "level 2"})
        self.assertEqual([edge[:2] for edge in drawing.edges], [("choose[0]", "arr[1-999]")])

    def test_thousand_different_nodes_are_drawn_in_time(self):
        template = (ASSEMBLY / "level_a.spvasm").read_text()
        files = [self.write(f"{i}.spvasm", template.replace('%main "a"', f'%main "n{i}"').replace(
            'OpConstantStringAMDX "b"', f'OpConstantStringAMDX "n{i // 3}"')) for i in range(1, 1000)]
        start = time.monotonic()
        drawing = self.draw(*files, "--node", f"n0={SHADERS}/single_array.spv")
        seconds = time.monotonic() - start
        names = {name for name in drawing.nodes if not name.startswith("level")}
        self.assertEqual(names, {f"n{i}[0]" for i in range(1000)})
        self.assertEqual({edge[:2] for edge in drawing.edges}, {(f"n{i}[0]", f"n{i // 3}[0]") for i in range(1, 1000)})
        print(f"1,000 different nodes: {seconds:.1f} s")
        self.assertLess(seconds, 120)


class Sources(unittest.TestCase):
    """Nodes in GLSL, and what `millrace run` takes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.examples = pathlib.Path(__file__).parents[2] / "examples"

    def test_glsl_and_graphs_give_the_same(self):
        example = self.examples / "first_graph"
        modules = []
        for name in ["start", "add"]:
            modules.append(self.folder / f"{name}.spv")
            self.assertEqual(COMPILE(example / f"{name}.comp", "-o", modules[-1]).returncode, 0)
        wanted = GRAPH.json(*modules)
        self.assertEqual([node["name"] for node in wanted["nodes"]], ["start", "add"])
        for arguments in [[example / "start.comp", example / "add.comp"], [example / "start.comp", modules[1]],
                          [example / "graph.json"]]:
            found = GRAPH.json(*arguments)
            for document in wanted, found:
                for node in document["nodes"]:
                    node.pop("file", None)
            self.assertEqual(found, wanted, arguments)

    def test_every_example_is_a_graph(self):
        for path in sorted(self.examples.glob("*/graph.json")):
            with self.subTest(path):
                result = GRAPH(path)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_errors_have_places(self):
        bad = self.folder / "bad.comp"
        bad.write_text("void main() {\n  x = 1;\n}\n")
        graph = self.folder / "graph.json"
        graph.write_text('{"nodes": [{"file": "bad.comp"}], "dispatches": [{"node": "main"}]}')
        for path in [bad, graph]:
            result = GRAPH(path)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"{bad}:2:3: error: 'x' : undeclared identifier", result.stderr)
        deep = self.folder / "deep.comp"
        deep.write_text("#version 460\nlayout(static_grid = uvec3(1), recursion = 2000) node;\nlayout(local_size_x = 1) in;\n"
                        "struct P { uint a; };\nnodein P p;\nlayout(node = \"main\") nodeout P q[1];\nvoid main() {}\n")
        self.assertIn("MaxNodeRecursionAMDX is 2000, and maxExecutionGraphDepth, 256, allows 255", GRAPH(deep).stderr)
        self.assertIn(f"{graph}:1:21: ", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

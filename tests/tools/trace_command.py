#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace run --trace`, `--show` and `millrace report` from outside: usage: trace_command.py MILLRACE SOURCES"""

import html.parser
import json
import pathlib
import re
import sys
import tempfile
import unittest

from command_line import Command

RUN = Command(sys.argv[1], "run")
REPORT = Command(sys.argv[1], "report")
FIRST = pathlib.Path(sys.argv[2]) / "examples/first_graph/graph.json"
SEND = """#version 460
layout(name = "send", static_grid = uvec3(2, 1, 1)) node;
layout(local_size_x = 32) in;
struct Start { uint first; };
struct Item { uint value; };
nodein Start start;
layout(node = "take") nodeout Item items[32];
void main()
{
    allocateInvocation(items, 1);
    items[0].value = start.first;
    enqueue(items);
}
"""
TAKE = """#version 460
layout(name = "take", coalescing) node;
layout(local_size_x = 1) in;
struct Item { uint value; };
nodein Item item[1];
layout(set = 0, binding = 0) buffer Sum { uint sum; };
void main()
{
    atomicAdd(sum, item[0].value);
}
"""
VOID = {"meta", "input", "br", "link"}


# The compact file, as docs/trace.md says.
def encode(value):
    if isinstance(value, int):
        return bytes([value & 0x7f | (0x80 if value > 0x7f else 0)]) + (encode(value >> 7) if value > 0x7f else b"")
    items = value.encode() if isinstance(value, str) else b"".join(map(encode, value))
    return encode(len(items) if isinstance(value, str) else len(value)) + items


def part(tag, *fields):
    body = b"".join(map(encode, fields))
    return tag + len(body).to_bytes(4, "little") + body


class Page(html.parser.HTMLParser):
    """Checks that elements nest and collects what the page refers to."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.links, self.ids, self.data, self.script = [], [], set(), "", ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("src", "href", "xlink:href", "srcset") if name in attributes]
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes["id"]
            self.ids.add(attributes["id"])
        if tag not in VOID:
            self.open.append((tag, attributes))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1][0] == "script":
            if self.open[-1][1].get("id") == "data":
                self.data += text
            elif "id" not in self.open[-1][1]:
                self.script += text


class TraceCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def trace(self, name="a.mrtrace", *arguments):
        path = self.folder / name
        report = RUN.json(FIRST, "-o", self.folder, "--trace", path, *arguments)
        self.assertIn({"resource": "trace", "path": str(path)}, report["files"])
        return path

    def test_summary(self):
        found = REPORT.json(self.trace())
        graph = found["graphs"][0]
        nodes = {node["name"]: node for node in graph["nodes"]}
        # examples/first_graph sends 100 records.
        self.assertEqual((nodes["start"]["records"], nodes["add"]["records"]), (1, 100))
        self.assertEqual((graph["runs"], graph["continuations"], graph["dropped"]), (1, 0, 0))
        self.assertIn({"from": 0, "to": 1, "payloads": 100, "exact": True}, graph["flows"])

    def test_cut_traces_are_errors(self):
        whole = self.trace().read_bytes()
        for size in [len(whole) - 1, len(whole) - 8, len(whole) // 2]:
            cut = self.folder / "cut.mrtrace"
            cut.write_bytes(whole[:size])
            for arguments in [[], ["-o", self.folder / "t.html"]]:
                result = REPORT(cut, *arguments)
                self.assertEqual((result.returncode, result.stdout), (1, ""), size)
                self.assertIn("the trace is cut: ", result.stderr)
            self.assertFalse((self.folder / "t.html").exists())

    def test_repeats_and_little_memory(self):
        path = self.trace("b.mrtrace", "--repeat", "3", "--scratch", "min", "--trace-detail", "nodes")
        for skipped, runs in (1, 2), (3, 0), (4, 0):
            graph = REPORT.json(path, "--skip-runs", skipped)["graphs"][0]
            self.assertEqual((graph["runs"], sum(node["records"] for node in graph["nodes"])), (runs, 101 * runs))
        graph = REPORT.json(path)["graphs"][0]
        self.assertEqual(graph["runs"], 3)
        self.assertEqual(sum(node["records"] for node in graph["nodes"]), 303)
        self.assertTrue(all(node["bytes_written"] is not None for node in graph["nodes"]))

    def test_a_node_inside_its_producer(self):
        (self.folder / "send.comp").write_text(SEND)
        (self.folder / "take.comp").write_text(TAKE)
        path = self.folder / "fused.json"
        path.write_text(json.dumps({"nodes": [{"file": "send.comp"}, {"file": "take.comp"}],
                                    "buffers": [{"name": "sum", "binding": 0}],
                                    "dispatches": [{"node": "send", "payloads": [{"first": 3}]}]}))
        for detail, takes in ("steps", None), ("nodes", 64):
            trace = self.folder / "fused.mrtrace"
            RUN.json(path, "-o", self.folder, "--trace", trace, "--trace-detail", detail)
            found = REPORT.json(trace)
            send, take = found["graphs"][0]["nodes"]
            self.assertEqual((send["counted"], send["records"]), (True, 1))
            self.assertEqual((take["counted"], take["records"]), (takes is not None, takes or 0))
            inside = [finding["text"] for finding in found["findings"] if "by itself" in finding["text"]]
            self.assertEqual(inside, [] if takes else ["1 node did not run by itself: 'take'"])

    def test_text(self):
        text = REPORT(self.trace()).stdout
        self.assertRegex(text, r"start +1 +1 ")
        self.assertRegex(text, r"add +2 +100 ")

    def test_traits_of_the_device(self):
        kind = r"\((measured|host threads)\)"
        self.assertRegex(REPORT(self.trace("t.mrtrace", "--repeat", "1")).stdout,
                         rf"traits: grid_invocations \d+ {kind}, grid_min_groups \d+ {kind}")
        labels = [event["args"]["labels"] for event in json.loads(self.trace("t.json").read_text())
                  if event["name"] == "process_labels"]
        self.assertRegex(labels[0], rf", grid_max_groups \d+ {kind}")

    def test_perfetto(self):
        direct = json.loads(self.trace("c.json").read_text())
        path = self.folder / "d.json"
        REPORT(self.trace(), "-o", path)
        for events in (direct, json.loads(path.read_text())):
            slices = [event for event in events if event["ph"] == "X"]
            self.assertEqual([e["args"]["records"] for e in slices if e["name"].startswith("add")], [100])
            self.assertTrue(all(e["dur"] >= 0 and e["ts"] >= 0 for e in slices))
            names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
            self.assertLessEqual({"sweeps", "levels", "nodes"}, names)

    def test_chrome_format(self):
        """Each event as "Trace Event Format" says; slices of a line nest."""
        path = self.folder / "f.json"
        REPORT(self.trace("f.mrtrace", "--trace-detail", "nodes", "--repeat", "2"), "-o", path)
        number = (int, float)
        kinds = {"X": {"ts": number, "dur": number, "tid": int, "args": dict, "name": str},
                 "C": {"ts": number, "args": dict, "name": str},
                 "M": {"args": dict, "name": str}}
        metadata = {"process_name": str, "process_labels": str, "thread_name": str, "thread_sort_index": int}
        lines, named = {}, set()
        for event in json.loads(path.read_text()):
            fields = kinds[event["ph"]] | {"ph": str, "pid": int}
            self.assertLessEqual(set(fields), set(event))
            self.assertLessEqual(set(event), set(fields) | {"tid"})
            self.assertTrue(all(isinstance(event[name], kind) for name, kind in fields.items()), event)
            if event["ph"] == "M":
                (value,) = event["args"].values()
                self.assertIsInstance(value, metadata[event["name"]])
                self.assertIn("tid" if event["name"].startswith("thread") else "pid", event)
                named.add((event["name"], event["pid"], event.get("tid")))
            elif event["ph"] == "C":
                self.assertTrue(event["args"] and all(isinstance(n, number) for n in event["args"].values()))
            else:
                lines.setdefault((event["pid"], event["tid"]), []).append(
                    (round(event["ts"] * 1000), -round(event["dur"] * 1000)))
        for (process, thread), slices in lines.items():
            self.assertIn(("process_name", process, None), named)
            self.assertIn(("thread_name", process, thread), named)
            ends = []
            for begin, length in sorted(slices):
                while ends and ends[-1] <= begin:
                    ends.pop()
                self.assertTrue(not ends or begin - length <= ends[-1], (process, thread, begin))
                ends.append(begin - length)

    def meshes(self):
        """A trace without graphs."""
        work = part(b"W", 5, 10, 2, 400, 400, 100, 20, 16000, 20000, 5000, [100] + 7 * [0] + [300],
                    [100] + 7 * [0] + [300], 64, 60, 120)
        path = self.folder / "m.mrtrace"
        path.write_bytes(b"MRTRACE1" + part(b"D", "a device", "", 32, []) +
                         part(b"M", 5, "mesh pipeline 6 (</script>.mesh)", 1, 1, 3, 64, 126) + work + work)
        return path

    def test_mesh_shaders(self):
        path = self.meshes()
        found = REPORT.json(path)
        (mesh,) = found["meshes"]
        self.assertEqual((found["graphs"], mesh["task_workgroups"], mesh["emitted_workgroups"]), ([], 20, 800))
        self.assertEqual((mesh["workgroups"], mesh["empty_workgroups"], mesh["culled_workgroups"]), (800, 200, 40))
        self.assertEqual((mesh["vertices"], mesh["primitives"], mesh["culled_primitives"]), (32000, 40000, 10000))
        self.assertEqual((mesh["most_vertices"], mesh["vertex_fill"][0], mesh["vertex_fill"][8]), (60, 200, 600))
        self.assertEqual((mesh["amplification"], round(mesh["vertices_per_corner"], 3)), (40, 0.267))
        self.assertEqual([(finding["graph"], finding["mesh"]) for finding in found["findings"]], [(None, 0)])
        text = REPORT(path).stdout
        self.assertRegex(text, r"mesh pipeline 6 .*\b20\b.*40\.0 each.*\b800\b.*25 %.*40\.0 of 64.*50\.0 of 126.*25 %.*0\.27")
        page, data, text = self.page(path)
        self.assertEqual((len(data["meshes"]), data["graphs"]), (1, []))
        self.assertNotIn("</script>.mesh", text)
        out = self.folder / "m.json"
        REPORT(path, "-o", out)
        slices = [event for event in json.loads(out.read_text()) if event["ph"] == "X"]
        self.assertEqual([event["args"]["primitives"] for event in slices], [20000, 20000])
        self.assertLess(slices[0]["ts"], slices[1]["ts"])

    def calls(self):
        """Of generated commands: one with a set, executed in two parts, and one that nobody could count."""
        call = part(b"K", 3, "call 1, in the label '</script>'", "draws from the stream", ["EXECUTION_SET", "DRAW"], 100, 0, 0,
                    1, 1, ["index 0 'firs'", "index 2", "index 5"], "")
        # A list of two times, each with its begin and end, is its length and four numbers.
        works = part(b"X", 3, 1, 1, 40, [30, 10, 0], 0, []) + part(b"X", 3, 2, 1, 60, [25, 30, 0], 5, 2, 1000, 3500, 5000, 5750)
        unknown = part(b"K", 4, "call 2", "draws from the stream", ["DRAW"], 1000, 0, 1, 0, 0, ["pipeline"],
                       "the command is in a secondary command buffer") + part(b"X", 4, 7, 0, [], 0, [])
        front = part(b"F", "render pass instance 1", 3, 7000, 9000)
        path = self.folder / "k.mrtrace"
        path.write_bytes(b"MRTRACE1" + part(b"D", "a device", "", 32, []) + call + works + unknown + front)
        return path

    def test_generated_commands(self):
        path = self.calls()
        found = REPORT.json(path)
        known, unknown = found["generated_calls"]
        self.assertEqual((known["executions"], known["sequences"], known["left_out"]), (3, 100, 5))
        self.assertEqual(known["pipelines"], [{"name": "index 0 'firs'", "sequences": 55}, {"name": "index 2", "sequences": 40}])
        self.assertEqual((known["tokens"], known["max_sequences"]), (["EXECUTION_SET", "DRAW"], 100))
        self.assertEqual(known["way"], "draws from the stream, all pipelines as one")
        self.assertEqual((known["timed_executions"], known["ns"]), (2, 3250))
        self.assertEqual((unknown["timed_executions"], unknown["ns"]), (0, None))
        self.assertEqual(found["mesh_fronts"], {"instances": 1, "draws": 3, "ns": 2000})
        self.assertEqual((unknown["executions"], unknown["sequences"], unknown["pipelines"]), (7, None, None))
        self.assertEqual(unknown["unknown"], "the command is in a secondary command buffer")
        self.assertEqual([(f["graph"], f["mesh"], f["call"]) for f in found["findings"]], [(None, None, 0)])
        text = REPORT(path).stdout
        self.assertRegex(text, r"EXECUTION_SET, DRAW: draws from the stream, all pipelines as one\n"
                               r" +3 executions, 100 sequences of at most 100 each\n")
        self.assertRegex(text, r"index 0 'firs' +55 +55 %\n +index 2 +40 +40 %\n +none, left out +5 +5 %\n")
        self.assertRegex(text, r"7 executions, how many sequences of at most 1000 each is unknown: the command is in a secondary")
        self.assertNotIn("index 5", text)
        page, data, text = self.page(path)
        self.assertEqual(len(data["generated_calls"]), 2)
        self.assertNotIn("</script>'", text)
        out = self.folder / "k.json"
        REPORT(path, "-o", out)
        slices = [event for event in json.loads(out.read_text()) if event["ph"] == "X"]
        arguments = [event["args"] for event in slices if "executions" in event["args"]]
        self.assertEqual(arguments[0], {"executions": 1, "sequences": 40, "at most": 100, "index 0 'firs'": 30, "index 2": 10})
        self.assertEqual(arguments[1]["left out"], 5)
        times = [(event["name"], event["ts"], event["dur"]) for event in slices if "executions" not in event["args"]]
        self.assertEqual(times, [("draws from the stream", 1, 2.5), ("draws from the stream", 5, 0.75),
                                 ("render pass instance 1", 7, 2)])

    def test_parts_of_later_versions_are_refused_by_their_place(self):
        path = self.calls()
        size = path.stat().st_size
        path.write_bytes(path.read_bytes() + part(b"Q", 1))
        result = REPORT(path)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, rf"a part of a kind that this version of Millrace does not know .*\(byte {size}\)")

    def page(self, trace):
        path = self.folder / "page.html"
        REPORT(trace, "-o", path)
        page = Page()
        page.feed(path.read_text())
        page.close()
        self.assertEqual(page.open, [])
        return page, json.loads(page.data), path.read_text()

    def test_page_is_whole_and_needs_nothing_else(self):
        page, data, text = self.page(self.trace())
        self.assertEqual([link for link in page.links if not link.startswith("#")], [])
        self.assertNotRegex(page.script, r"fetch\(|XMLHttpRequest|import\s|https?:")
        self.assertNotRegex(text, r"@import|url\(")
        # What the script asks for is there.
        for name in re.findall(r"\$\(\"([\w-]+)\"\)", page.script):
            self.assertIn(name, page.ids)
        self.assertLessEqual({"code-of-d3", "code-of-dagre"}, page.ids)
        self.assertEqual((data["graphs"][0]["boxes"], data["graphs"][0]["depths"]), ([0, 1], [1, 2]))
        steps = data["steps"]
        self.assertEqual(len({len(column) for column in steps.values()}), 1)
        self.assertEqual([count for count in steps["records"] if count > 0], [1, 100])

    def test_hostile_names(self):
        graph = json.loads(FIRST.read_text())
        for node in graph["nodes"]:
            node["file"] = str(FIRST.parent / node["file"])
        graph["nodes"][0]["name"] = "</script><b>&\"'\\"
        graph["dispatches"][0]["node"] = graph["nodes"][0]["name"]
        path = self.folder / "graph.json"
        path.write_text(json.dumps(graph))
        trace = self.folder / "e.mrtrace"
        RUN(path, "-o", self.folder, "--trace", trace)
        _, data, text = self.page(trace)
        self.assertEqual(data["graphs"][0]["nodes"][0]["name"], graph["nodes"][0]["name"])
        self.assertNotIn("<b>", text)

    def fails(self, status, command, *arguments):
        result = command(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stderr

    def test_files_that_are_no_traces(self):
        path = self.folder / "x"
        self.assertIn("cannot be read", self.fails(1, REPORT, path))
        for content in (b"", b"MRTRACE", b"MRTRACE1S\1\0\0\0\0", b"[]"):
            path.write_bytes(content)
            self.assertIn("trace", self.fails(1, REPORT, path), content)
        self.assertIn("cannot write", self.fails(1, RUN, FIRST, "--trace", FIRST / "where"))

    def test_show(self):
        shown = RUN.json(FIRST, "-o", self.folder, "--show", "add first 200")["shown"]
        self.assertEqual(len(shown), 100)
        members = {tuple(item["payload"]) for item in shown}
        self.assertEqual(len(members), 1)
        self.assertNotIn("@0", members.pop())
        text = RUN(FIRST, "-o", self.folder, "--show", "start", "--show", "add first 2").stdout
        self.assertEqual(len(re.findall(r"^payload:  add\[0\], level 2: \{", text, re.MULTILINE)), 2)
        self.assertEqual(len(re.findall(r"^payload:  start\[0\], level 1: \{", text, re.MULTILINE)), 1)

    def test_show_nothing_there(self):
        self.assertIn("no node \"ad\"", self.fails(1, RUN, FIRST, "--show", "ad"))
        self.assertIn("above 0", self.fails(2, RUN, FIRST, "--show", "add first 0"))
        self.assertIn("payload:  none", RUN(FIRST, "-o", self.folder, "--show", "add level 9").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the page of `millrace report` in headless Chromium as a person would: usage: page_test.py MILLRACE MAKE_TRACE
CHROMEDRIVER [FOLDER FOR SCREENSHOTS [TRACE]]

As wide as a phone and a desktop, light and dark: every element, with mouse and keyboard; with 1,000 nodes and 10,000
steps, and with 200 levels, too. Fails on errors of scripts, requests to anywhere, or a page wider than the screen. Exit status 77: there is no
chromedriver.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import PATIENCE, Browser

MILLRACE, MAKE_TRACE, DRIVER = sys.argv[1:4]
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
ALL = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
ONE = [("phone", "dark")]  # what is large is slow in browsers, and lies as what is small does
SLOW = 15  # processor seconds of an action
slowest = (0, "")


def check(condition, text):
    if not condition:
        raise AssertionError(text)


@contextlib.contextmanager
def quickly(browser, what, slow=SLOW):
    start = browser.processor_seconds()
    yield
    took = browser.processor_seconds() - start
    global slowest
    slowest = max(slowest, (took, what))
    check(took < slow, f"{what} took {took:.1f} s of processors")


class Page:
    def __init__(self, browser, data, is_first):
        self.browser, self.data, self.js = browser, data, browser.js
        self.placing = 0.0
        self.is_first = is_first  # of the configurations: then all graphs and all columns

    def focused(self):
        return self.js("document.activeElement.id || document.activeElement.textContent")

    def overview(self, graph):
        numbers = dict(self.js("$$('#overview div').map((e) => [...e.children].map((c) => c.textContent))"))
        check(len(numbers) == 14, numbers)
        check(numbers["Nodes"] == f"{len(graph['nodes']):,}" and numbers["Levels"] == str(graph["levels"] - 1), numbers)
        levels = [number for number in self.data["steps"]["graph"] if number == self.number]
        check(numbers["Levels of all sweeps"] == f"{len(levels):,}", numbers)
        check(numbers["Continuations"] == f"{graph['continuations']:,}", numbers)

    def legends(self):
        """What shapes, lines and colours mean; what hardly anybody needs to see is folded."""
        legends = self.js("$$('.legend').map((e) => [...e.children].filter((c) => c.textContent && c.offsetWidth).length)")
        check(legends == [6, 2], legends)
        check(self.js("!$('#device-details').hidden && !$('#device-details').open"), "settings and traits are folded")

    def findings(self, number):
        own = [finding for finding in self.data["findings"] if finding["graph"] == number]
        check(self.js("$$('#findings li').length") == max(1, len(own)), "findings")
        check(len(own) > 0 or "Nothing stands out" in self.js("$('#findings').textContent"), "no findings")
        with_node = [finding for finding in own if finding["node"] is not None]
        check(self.js("$$('#findings button').length") == len(with_node), "findings that lead to a node")
        if with_node:
            self.js("$('#findings button').focus()")
            self.browser.keys("Enter")
            check(self.js("$('tr.chosen').dataset.node") == str(with_node[0]["node"]), "a finding chooses its node")

    def wait_for_the_drawing(self):
        """The rest of the page can be used meanwhile."""
        start = time.monotonic()
        while not self.js("!!$('.drawing:not([hidden])[data-placed=true]')"):
            check(time.monotonic() - start < PATIENCE, "the nodes are not placed")
            time.sleep(0.05)
        self.placing = max(self.placing, time.monotonic() - start)
        check(self.js("$('#placing').hidden"), "and the page says so")

    def drawing(self, graph, number):
        self.wait_for_the_drawing()
        boxes = sorted(set(graph["boxes"]))
        drawn = self.js("$$('.drawing:not([hidden]) .node[role=button]').map((e) => e.id)")
        check(sorted(drawn) == sorted(f"g{number}n{box}" for box in boxes), "a box for each node or array")
        check(self.js("$$('.drawing:not([hidden]) .edge').length") > 0 or len(boxes) < 2, "flows")
        self.browser.click(f"#g{number}n{boxes[-1]}")
        check(self.js("$('tr.chosen').dataset.node") == str(boxes[-1]), "a click on a box")
        self.js("$(a[0]).focus()", f"#g{number}n{boxes[0]}")
        if len(boxes) > 1:
            self.browser.keys("ArrowDown")
            check(self.js("document.activeElement.id") != f"g{number}n{boxes[0]}", "arrow keys between boxes")
        self.browser.keys("Space")
        check(self.js("$('.drawing .node.chosen').id") == self.js("document.activeElement.id"), "a box by keyboard")
        colours = set()
        for option in range(self.js("$('#measure').options.length")):
            self.js("(() => { $('#measure').selectedIndex = a[0]; $('#measure').onchange(); })()", option)
            colours.add(json.dumps(self.js("$$('.drawing:not([hidden]) .node > :is(polygon, ellipse, path)')"
                                           ".map((e) => e.style.fill)")))
        self.hover(graph, number)
        self.fit()
        busy = [node for node in graph["nodes"] if node["workgroups"] > 0]
        check(len(colours) > 1 or len(busy) < 2, "colours by measure")

    def hover(self, graph, number):
        """Boxes and lines say what they are where the mouse is, and nothing where it is not."""
        box = graph["boxes"][0]
        self.browser.move(f"#g{number}n{box}")
        hint = lambda: "" if self.js("$('#hint').hidden") else self.js("$('#hint').textContent")
        records = sum(node["records"] for n, node in enumerate(graph["nodes"]) if graph["boxes"][n] == box)
        check(graph["nodes"][box]["name"] in hint() and f"{records:,} records" in hint(), f"a box says {hint()!r}")
        inside = self.js("(() => { const r = $('#hint').getBoundingClientRect(); "
                         "return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })()")
        check(inside, "the hint is on the screen")
        self.browser.move("h1")
        check(hint() == "", "the hint goes away")
        self.hover_on_a_line(graph, hint)

    def hover_on_a_line(self, graph, hint):
        """The first that can be pointed at: others lie above some, and large drawings have hair lines."""
        lines = self.js("$$('.drawing:not([hidden]) .edge').slice(0, 30).map((e) => e.id)")
        for line in lines:
            x, y = self.js("((e) => { const p = e.querySelector('path'); e.scrollIntoView({block: 'center', inline: 'center'}); "
                           "const at = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(p.getScreenCTM()); "
                           "return [Math.round(at.x), Math.round(at.y)]; })($(a[0]))", f"#{line}")
            if not self.js("document.elementFromPoint(a[0], a[1])?.closest('.edge')?.id === a[2]", x, y, line):
                continue
            self.browser.move_to(x, y)
            flow = self.js("(({from, to, payloads, exact}) => [from.kind === 'api' ? 'API' : from.name, to.name, payloads, exact])"
                           "(d3.select(a[0]).datum())", f"#{line}")
            check(flow[2] in {f["payloads"] for f in graph["flows"]} or len(set(graph["boxes"])) < len(graph["nodes"]),
                  f"{flow} is no flow of the trace")
            wanted = f"{flow[0]} to {flow[1]}: {'' if flow[3] else 'up to '}{flow[2]:,} payloads"
            check(hint() == wanted, f"a line says {hint()!r} in place of {wanted!r}")
            self.browser.move("h1")
            check(hint() == "", "the hint of a line goes away")
            return
        check(not lines or len(set(graph["boxes"])) > 100, "no line can be pointed at")

    def fit(self):
        size = lambda: self.js("(() => { const r = $('.drawing:not([hidden]) svg').getBoundingClientRect(); "
                               "return [r.width, r.height]; })()")
        self.browser.click("#fit")
        width, height = size()
        room = self.js("[$('#drawings').clientWidth, $('#drawings').clientHeight]")
        check(width <= room[0] and height <= room[1], f"the drawing of {width} x {height} fits {room}")
        check(self.js("$('#fit').ariaPressed") == "true", "the button says so")
        self.browser.click("#fit")
        check(self.js("$('#fit').ariaPressed") == "false", "and again")

    def labels(self):
        """No label of an axis is cut off."""
        cut = self.js("(() => { const all = $('#memory').getBoundingClientRect(); return $$('#memory text').filter((e) => { "
                      "const r = e.getBoundingClientRect(); return r.left < all.left || r.right > all.right; })"
                      ".map((e) => e.textContent); })()")
        check(not cut, f"labels are cut off: {cut}")

    def level_labels(self):
        """Names of levels are below each other, however many levels there are."""
        self.js("(() => { window.labels = []; const old = CanvasRenderingContext2D.prototype.fillText; "
                "CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { labels.push([text, y]); "
                "return old.call(this, text, x, y); }; $('#zoom-all').click(); "
                "CanvasRenderingContext2D.prototype.fillText = old; })()")
        labels = self.js("labels")
        check(labels[0][0] == "API", f"levels are named {labels}")
        check(all(below[1] - above[1] >= 12 for above, below in zip(labels, labels[1:])), f"labels overlap: {labels}")

    def runs_in_view(self, graph):
        """Time between runs is left out, and the view begins behind a first run beside which others would not be seen."""
        begins, ends, runs = self.js("[begins, ends, steps.map((s) => data.steps.run[s])]")
        most = sum(ends) / graph["runs"] / 50 - sum(begins) / graph["runs"] / 50
        last = ends[0]
        for before, run, begin, end in zip(runs, runs[1:], begins[1:], ends[1:]):
            check(run == before or begin - last <= most * 1.001, f"{begin - last} ns in front of run {run}")
            last = max(last, end)
        check(self.js("$('#slow-start').hidden") != graph["slow_start"], "a note of a slow first run")
        if not graph["slow_start"]:
            return
        first = begins[runs.index(2)]
        view = self.js("shown.domain()")
        check(abs(view[0] - first) < 1 and abs(view[1] - ends[-1]) < 1, f"{view} is in view, not {first} to {ends[-1]}")
        self.browser.click("#zoom-all")
        check(self.js("shown.domain()") == [begins[0], ends[-1]], "then all runs")

    def timeline(self, number):
        steps = [graph for graph in self.data["steps"]["graph"] if graph == number]
        picture = lambda: self.js("$('#timeline').toDataURL() + $('#memory').innerHTML")
        check(self.js("$('#memory .area').getAttribute('d').length") > 10, "memory")
        check(self.js("$$('#memory .time .tick').length") >= 2, "ticks of time")
        text = lambda: self.js("$('#step').textContent")
        whole = picture()
        self.js("$('#timeline').focus()")
        self.browser.keys("Home")
        check(f"Bar 1 of {len(steps):,}:" in text(), text())
        self.browser.keys("ArrowRight")
        check(f"Bar {min(2, len(steps))} of" in text(), text())
        self.browser.keys("ArrowLeft", "ArrowLeft")
        check("Bar 1 of" in text(), text())
        self.browser.keys("End")
        check(f"Bar {len(steps):,} of" in text(), text())
        runs = max(run for graph, run in zip(self.data["steps"]["graph"], self.data["steps"]["run"]) if graph == number)
        check(runs == self.data["graphs"][number]["runs"] and f"run {runs:,} of {runs:,}," in text(), f"{runs}: {text()}")
        places = [picture()]
        check(places[0] != whole, "the step is marked")
        for what, act in (("+", lambda: self.browser.keys("+")), ("-", lambda: self.browser.keys("-")),
                          ("zoom in", lambda: self.browser.click("#zoom-in")),
                          ("wheel", lambda: self.browser.wheel("#timeline", -200, control=True)),
                          ("drag", lambda: self.browser.drag("#timeline", (0.4, 0.5), (0.7, 0.5))),
                          ("zoom out", lambda: self.browser.click("#zoom-out")),
                          ("all", lambda: self.browser.click("#zoom-all"))):
            patience = time.monotonic() + PATIENCE
            with quickly(self.browser, what):
                act()
                # Chromium may answer before the page has heard of it.
                while (shown := picture()) == places[-1]:
                    check(time.monotonic() < patience, f"{what} changes nothing")
            places.append(shown)
        check(places[-1] == places[0] == places[2], "all is shown again")
        with quickly(self.browser, "20 steps by keyboard"):
            self.browser.keys(*["ArrowLeft"] * 20)
        before = picture()
        self.browser.wheel("#timeline", 40)
        check(picture() == before, "the wheel alone is the page's")
        self.labels()
        self.level_labels()
        self.click_on_a_step(steps)

    def click_on_a_step(self, steps):
        """Somewhere in the upper half is one; a click on it tells which."""
        self.js("(() => { $('#step').textContent = ''; })()")
        for y in range(1, 40):
            self.browser.click("#timeline", 0.5, y / 40)
            if "Bar" in self.js("$('#step').textContent"):
                self.browser.move("#timeline", 0.5, y / 40)
                check("Bar" in self.js("$('#hint').textContent") and not self.js("$('#hint').hidden"), "a bar says what it is")
                self.browser.move("h1")
                return
        raise AssertionError("a click chooses no level")

    def table(self, graph):
        nodes = len(graph["nodes"])
        rows = lambda: self.js("$$('#nodes tbody tr').map((e) => [...e.children].map((c) => c.textContent))")
        check(len(rows()) == nodes, "a row for each node")
        # Of a large table two columns tell how long it takes.
        for column in range(0, self.js("$$('#nodes th').length"), 1 if nodes < 100 and self.is_first else 6):
            orders = []
            for _ in range(2):
                self.js("$$('#nodes th button')[a[0]].focus()", column)
                with quickly(self.browser, "sorting"):
                    self.browser.keys("Enter")
                check(self.js("$$('#nodes th').findIndex((e) => e.ariaSort)") == column, "sorted by this column")
                orders.append((self.js("$('#nodes th[aria-sort]').ariaSort"), [row[column] for row in rows()]))
            check({order for order, _ in orders} == {"ascending", "descending"}, "both ways")
            first, second = (values for _, values in orders)
            check(sorted(first) == sorted(second) and first == second[::-1] or len(set(first)) < nodes, "the other way")
        numbers = [int(row[4].replace(",", "")) for row in self.sorted_by(rows, 4)]
        check(numbers in (sorted(numbers), sorted(numbers, reverse=True)), "numbers are sorted as such")
        name = graph["nodes"][-1]["name"]
        self.browser.click("#find")
        for key in name[-4:]:
            with quickly(self.browser, "a key of a search"):
                self.browser.keys("Space" if key == " " else key)
        check(0 < len(rows()) <= nodes and all(name[-4:] in row[0] for row in rows()), "search")
        self.browser.click("#nodes tbody tr")
        check(self.js("$$('tr.chosen').length") == 1, "a click on a row")
        self.js("(() => { $('#find').value = ''; $('#find').oninput(); $('#nodes td button').focus(); })()")
        if nodes > 1:
            self.browser.keys("ArrowDown")
        chosen = self.focused()
        self.browser.keys("Enter")
        check(self.js("$('tr.chosen td').textContent") == chosen, "a row by keyboard")
        check(self.focused() == chosen, "and the keyboard stays there")

    def meshes(self):
        row = ["mesh pipeline 1 (grass.mesh)", "-", "-", "1,000", "50 %", "20.00 of 64", "30.00 of 126", "10 %", "0.22"]
        rows = self.js("$$('#meshes tbody tr').map((e) => [...e.children].map((c) => c.textContent))")
        check(rows == [row] and not self.js("$('#meshes').hidden"), f"mesh shaders that ran: {rows}")
        check(self.js("$$('#meshes th').length") == len(row), "a title for each column")
        check("50 % of the workgroups have no primitives" in self.js("$('#meshes li').textContent"), "what stands out")

    def calls(self):
        set_call = ["call 1", "EXECUTION_SET, DRAW", "draws from the stream, all pipelines as one", "2", "2,000"]
        wanted = [[*set_call, "index 0 'firs'", "1,234"], [*set_call, "index 1", "1,100"], [*set_call, "none, left out", "11"],
                  ["call 2", "DRAW", "draws from the stream", "3", "10", "unknown: nobody was there", "-"]]
        rows = self.js("$$('#calls tbody tr').map((e) => [...e.children].map((c) => c.textContent))")
        check(rows == wanted and not self.js("$('#calls').hidden"), f"generated commands: {rows}")
        check("11 of 2345 sequences mean no pipeline" in self.js("$('#calls li').textContent"), "what stands out")

    def sorted_by(self, rows, column):
        self.js("$$('#nodes th button')[a[0]].click()", column)
        return rows()

    def tab_through(self):
        """Every control is reached by Tab, in a number of presses that does not grow with the graph."""
        self.js("(() => { document.activeElement.blur(); scrollTo(0, 0); })()")
        self.js("getSelection().collapse(document.body, 0)")
        self.js("(() => { window.reached = []; document.addEventListener('focusin', ({target: e}) => "
                "reached.push(e.id || (e.closest('th') ? 'header' : e.closest('td') ? 'row' : "
                "e.closest('#findings') ? 'finding' : e.className))); })()")
        self.browser.keys(*["Tab"] * 60)
        reached = self.js("reached")
        reached = reached[:reached.index("row") + 1] if "row" in reached else reached
        wanted = {"measure", "drawings", "zoom-in", "zoom-out", "zoom-all", "timeline", "find", "fit", "header", "row"}
        wanted |= {"graph"} if len(self.data["graphs"]) > 1 else set()
        check(wanted <= set(reached), f"by Tab only {reached}")
        check(any(name.startswith(f"g{self.number}n") for name in reached), f"no box by Tab: {reached}")

    def use(self):
        graphs = self.data["graphs"]
        check(self.js("$('#chooser').hidden") == (len(graphs) < 2), "a choice of graphs")
        check(self.js("$('#device').textContent").startswith(self.data["device"]["name"]), "device")
        for self.number, graph in enumerate(graphs if self.is_first else graphs[:1]):
            if len(graphs) > 1:
                with quickly(self.browser, "choosing a graph"):
                    self.js("(() => { $('#graph').value = a[0]; $('#graph').onchange(); })()", self.number)
            self.legends()
            self.overview(graph)
            self.findings(self.number)
            self.drawing(graph, self.number)
            self.runs_in_view(graph)
            self.timeline(self.number)
            self.table(graph)
            self.meshes()
            self.calls()
            self.tab_through()


def make_page(trace, page):
    subprocess.run([MILLRACE, "report", trace, "-o", page], check=True)
    return page


def try_page(browser, page, configurations, folder):
    for is_first, (size, scheme) in zip([True] + [False] * len(configurations), configurations):
        width, height = SIZES[size]
        browser.resize(width, height, size == "phone")
        browser.prefer(scheme)
        with quickly(browser, "opening", 2 * SLOW):
            browser.open(page)
        data = json.loads(browser.js("$('#data').textContent"))
        where = f"{page.stem}, {size}, {scheme}"
        check(browser.js("document.documentElement.scrollWidth") <= width, f"{where}: wider than the screen")
        back = browser.js("getComputedStyle(document.body).backgroundColor")
        check((back == "rgb(255, 255, 255)") == (scheme == "light"), f"{where}: background {back}")
        if folder:
            browser.screenshot(folder / f"{page.stem}-{size}-{scheme}.png")
        try:
            used = Page(browser, data, is_first)
            used.use()
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from error
        check(browser.js("document.documentElement.scrollWidth") <= width, f"{where}: wider after use")
        problems = browser.problems()
        check(not problems, problems)
        print(f"{where}: {len(data['steps']['level'])} steps, "
              f"{sum(len(graph['nodes']) for graph in data['graphs'])} nodes, "
              f"placed in {used.placing:.1f} s, slowest: {slowest[1]}, {slowest[0]:.2f} s of processors", flush=True)


def main():
    if not shutil.which(DRIVER):
        print(f"skipped: no {DRIVER}; install chromium-driver")
        return 77
    screenshots = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as name, Browser(DRIVER) as browser:
        folder = pathlib.Path(name)
        check(min(browser.timeouts().values()) >= PATIENCE, f"the driver gives up after {browser.timeouts()} seconds")
        if len(sys.argv) > 5:
            try_page(browser, make_page(sys.argv[5], folder / "given.html"), ALL, screenshots)
            return 0
        for kind, nodes, steps, levels, configurations in (("small", 12, 200, 20, ALL), ("large", 1000, 10000, 20, ONE),
                                                           ("deep", 200, 400, 200, ONE)):
            trace = folder / f"{kind}.mrtrace"
            subprocess.run([MAKE_TRACE, trace, str(nodes), str(steps), str(levels)], check=True)
            try_page(browser, make_page(trace, folder / f"{kind}.html"), configurations, screenshots)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page that `millrace report` makes of results of bench/run, used in headless Chromium: usage: bench_page_test.py
MILLRACE CHROMEDRIVER [FOLDER FOR SCREENSHOTS [RESULT...]]

As wide as a phone and a desktop, light and dark, with one result and with two. Fails on errors of scripts, requests to
anywhere, or a page wider than the screen. Exit status 77: there is no chromedriver.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bench_results import result
from browser import Browser

MILLRACE, DRIVER = sys.argv[1:3]
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def check(condition, text):
    if not condition:
        raise AssertionError(text)


class Page:
    def __init__(self, browser, data):
        self.browser, self.data, self.js = browser, data, browser.js

    def header(self):
        shown = self.js("$$('#results li').map((e) => e.textContent)")
        check(len(shown) == len(self.data["results"]), shown)
        for text, own in zip(shown, self.data["results"]):
            check(own["device"] in text and own["date"] in text, text)

    def ratios(self):
        cases, results = self.data["cases"], self.data["results"]
        rows = self.js("$$('#ratios tbody tr').map((e) => e.textContent)")
        check(len(rows) == len(cases) + 1, f"{len(rows)} rows: all cases and the mean")
        marks = self.js("$$('#ratios tbody tr').map((e) => e.querySelectorAll('.mark').length)")
        check(marks[:-1] == [sum(times is not None for times in case["results"]) for case in cases], marks)
        # The places of the marks follow the ratios, and the goal is at 1.
        places = self.js("$$('#ratios tbody tr').map((e) => [e.querySelector('.mark').getBoundingClientRect().x + "
                         "e.querySelector('.mark').getBoundingClientRect().width / 2, "
                         "e.querySelector('.goal').getBoundingClientRect().x])")
        firsts = [next(times["ratio"] for times in case["results"] if times) for case in cases]
        for (mark, goal), ratio in zip(places, firsts):
            check((mark < goal) == (ratio < 1) or abs(ratio - 1) < 0.02, f"{ratio} is drawn at {mark - goal}")
        ordered = [place for _, (place, _) in sorted(zip(firsts, places))]
        check(ordered == sorted(ordered), "the larger the ratio, the further right")
        check(len(self.js("$$('#ratios thead .tick').map((e) => e.textContent)")) >= 1, "ticks")
        self.browser.click("h1")  # from here on elements that get the focus hear of it
        self.js("$('#ratios tbody button').focus()")
        first = self.js("$('#ratio').textContent")
        check(cases[0]["case"] in first and "by hand" in first, first)
        self.browser.keys("ArrowDown")
        second = self.js("$('#ratio').textContent")
        check(cases[1]["case"] in second and second != first, second)
        check(len(self.js("$$('#ratios tr.chosen')")) == 1, "one row is marked")
        self.browser.click("#ratios tbody tr td")
        check(self.js("$('#ratio').textContent") == first, "a click on a row")
        if any(case["results"][-1] is None for case in cases) and len(results) > 1:
            check("-" in self.js("$$('#ratios td.number').map((e) => e.textContent)"), "what was not measured")
        for name in ("W", cases[0]["workload"]):
            self.js("(() => { $('#workloads').value = a[0]; $('#workloads').onchange(); })()", name)
            own = [case for case in cases if case["workload"].startswith(name)]
            rows = self.js("$$('#ratios tbody tr').length")
            check(rows == len(own) + (name == "W"), f"{rows} rows of {name}")
        self.js("(() => { $('#workloads').value = ''; $('#workloads').onchange(); })()")

    def growth(self):
        series = self.data["growth"]
        check(self.js("$$('#plots figure').length") == len(series), "a plot for each series")
        for i, each in enumerate(series):
            plot = f"$$('#plots figure')[{i}]"
            title = self.js(f"{plot}.querySelector('figcaption').textContent")
            check(each["workload"] in title and each["axis"] in title, title)
            lines = [line for line in each["lines"] if line["is_graph"] or not any(
                not other["is_graph"] and other["name"] == line["name"] and other["result"] < line["result"]
                for other in each["lines"])]
            check(self.js(f"{plot}.querySelectorAll('.line').length") == len(lines), "lines")
            check(self.js(f"{plot}.querySelectorAll('.point').length") ==
                  sum(len(line["points"]) for line in lines), "points")
            words = self.js(f"[...{plot}.querySelectorAll('.verdicts li')].map((e) => [e.className, e.textContent])")
            expected = [line for line in lines if "words" in line]
            check(len(words) == len(expected), words)
            for (kind, text), line in zip(words, expected):
                check(line["words"] in text and kind == ("linear" if line["linear"] else "bent"), text)
            check(self.js(f"{plot}.querySelectorAll('.tick').length") >= 3, "ticks")
        self.points()

    def points(self):
        plot = "$('#plots figure')"
        detail = lambda: self.js(f"{plot}.querySelector('.detail').textContent")
        self.js(f"{plot}.querySelector('.point').focus()")
        line = self.data["growth"][0]["lines"][0]
        check(f"{int(line['points'][0][0]):,}" in detail(), detail())
        self.browser.keys("ArrowRight")
        check(f"{int(line['points'][1][0]):,}" in detail(), detail())
        heights = self.js(f"[...{plot}.querySelectorAll('.point')].map((e) => e.getBoundingClientRect().y)")
        values = [point[1] for point in line["points"]]
        check(all((a > b) == (x < y) for a, b, x, y in zip(heights, heights[1:], values, values[1:])), heights)

    def tab_through(self):
        """Every control and plot is reached by Tab, in few presses."""
        self.js("(() => { document.activeElement.blur(); scrollTo(0, 0); })()")
        self.js("getSelection().collapse(document.body, 0)")
        self.js("(() => { window.reached = []; document.addEventListener('focusin', ({target: e}) => "
                "reached.push(e.id || (e.closest('#ratios') ? 'row' : e.closest('figure') ? 'point' : e.tagName))); })()")
        self.browser.keys(*["Tab"] * (8 + len(self.data["growth"])))
        reached = self.js("reached")
        check({"workloads", "row"} <= set(reached), f"by Tab only {reached}")
        check(reached.count("point") >= len(self.data["growth"]), f"a point of each plot: {reached}")

    def use(self):
        self.header()
        self.ratios()
        if self.data["growth"]:
            self.growth()
        self.tab_through()


def try_page(browser, page, size, scheme, screenshots):
    width, height = SIZES[size]
    browser.resize(width, height, size == "phone")
    browser.prefer(scheme)
    browser.open(page)
    where = f"{page.stem}, {size}, {scheme}"
    check(browser.js("document.documentElement.scrollWidth") <= width, f"{where}: wider than the screen")
    back = browser.js("getComputedStyle(document.body).backgroundColor")
    check((back == "rgb(255, 255, 255)") == (scheme == "light"), f"{where}: background {back}")
    if screenshots:
        browser.screenshot(screenshots / f"{page.stem}-{size}-{scheme}.png")
        browser.js("$('#plots').scrollIntoView()")
        browser.screenshot(screenshots / f"{page.stem}-{size}-{scheme}-plots.png")
    try:
        Page(browser, json.loads(browser.js("$('#data').textContent"))).use()
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error
    check(browser.js("document.documentElement.scrollWidth") <= width, f"{where}: wider after use")
    problems = browser.problems()
    check(not problems, problems)
    print(f"{where}: right", flush=True)


def main():
    if not shutil.which(DRIVER):
        print(f"skipped: no {DRIVER}; install chromium-driver")
        return 77
    screenshots = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as name, Browser(DRIVER) as browser:
        folder = pathlib.Path(name)
        if len(sys.argv) > 4:
            pages = {"given": sys.argv[4:]}
        else:
            for file, content in (("on.json", result()), ("off.json", result(slower=3, fusion="off"))):
                (folder / file).write_text(json.dumps(content))
            pages = {"one": [folder / "on.json"], "two": [folder / "on.json", folder / "off.json"]}
        for page, files in pages.items():
            subprocess.run([MILLRACE, "report", *files, "-o", folder / f"{page}.html"], check=True)
            for size, scheme in (("phone", "dark"), ("desktop", "light")):
                try_page(browser, folder / f"{page}.html", size, scheme, screenshots)
    return 0


if __name__ == "__main__":
    sys.exit(main())

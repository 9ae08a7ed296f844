#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page that `millrace advise` makes, used in headless Chromium: usage: page_test.py MILLRACE CHROMEDRIVER
FOLDER_OF_SHADERS SEVERAL [FOLDER FOR SCREENSHOTS]

SEVERAL is a module with several shaders. As wide as a phone, dark, and as a desktop, light. Fails on errors of scripts,
requests to anywhere, or a page wider than the screen. Exit status 77: there is no chromedriver.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))
from browser import Browser  # noqa: E402

MILLRACE, DRIVER, FOLDER, SEVERAL = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def check(condition, text):
    if not condition:
        raise AssertionError(text)


class Page:
    """Each choice of a shader and a GPU shows that plan."""

    def __init__(self, browser):
        self.js = browser.js
        self.shaders = json.loads(self.js("$('#data').textContent"))["shaders"]

    def choose(self, name, value):
        self.js("(() => { $('#' + a[0]).value = a[1]; $('#' + a[0]).onchange(); })()", name, value)

    def texts(self, selector):
        return self.js("$$(a[0]).map((e) => e.textContent)", selector)

    def findings(self, shader, gpu):
        wanted = [finding for finding in shader["findings"] if gpu in finding["gpus"]]
        shown = self.texts("#findings > li")
        check(len(shown) == len(wanted), f"{gpu}: {len(shown)} findings of {len(wanted)}")
        for text, finding in zip(shown, wanted):
            for part in (finding["text"], finding["cost"], finding["advice"], *(p["text"] for p in finding["places"])):
                check(part in text, f"{part} in {text}")
        check(self.js("$('#no-findings').hidden") == bool(wanted), "nothing stands out")
        problems = self.js("$$('#findings > li.problem').length")
        check(problems == sum(finding["kind"] == "problem" for finding in wanted), f"{problems} problems")

    def plan(self, shader, plan):
        rows = self.texts("#waves tbody tr")
        check(len(rows) == 2, rows)
        for row, waves in zip(rows, plan["waves"]):
            check(row.startswith(f"{waves['wave_size']}{waves['invocations']}"), row)
        lds = self.js("$('#lds-text').textContent")
        check(f"{plan['lds']['used_bytes']:,} bytes" in lds, lds)
        check(("does not fit" in lds) == (not plan["lds"]["fits"]), lds)
        widths = self.js("$$('#lds div').map((e) => e.getBoundingClientRect().width)")
        check(sum(widths) <= self.js("$('#lds').getBoundingClientRect().width") + 1, widths)
        if shader["stage"] == "mesh":
            rows = self.texts("#outputs tbody tr")
            check(len(rows) == len(shader["outputs"]), rows)
            spilled = {name for slot in plan["outputs"]["spilled"] for name in slot["outputs"]}
            for row, output in zip(rows, shader["outputs"]):
                check(row.startswith(output["name"]), row)
                check(("memory and back" in row) == (output["name"] in spilled), row)
        else:
            check(self.js("$('#outputs-section').hidden"), "task shaders have no outputs")

    def use(self):
        check(self.js("$('#shader-chooser').hidden") == (len(self.shaders) == 1), "the chooser of shaders")
        for number, shader in enumerate(self.shaders):
            self.choose("shader", str(number))
            for plan in shader["gpus"]:
                self.choose("gpu", plan["gpu"])
                self.findings(shader, plan["gpu"])
                self.plan(shader, plan)


def try_page(browser, page, size, scheme, screenshots):
    width, height = SIZES[size]
    browser.resize(width, height, size == "phone")
    browser.prefer(scheme)
    browser.open(page)
    check(browser.js("document.documentElement.scrollWidth") <= width, f"{page.stem}, {size}: wider than the screen")
    if screenshots:
        browser.screenshot(screenshots / f"{page.stem}-{size}-{scheme}.png")
    Page(browser).use()
    check(browser.js("document.documentElement.scrollWidth") <= width, f"{page.stem}, {size}: wider after use")
    problems = browser.problems()
    check(not problems, problems)


def main():
    if shutil.which(DRIVER) is None:
        print(f"skipped: no {DRIVER}; install chromium-driver")
        return 77
    screenshots = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else None
    with tempfile.TemporaryDirectory() as name, Browser(DRIVER) as browser:
        for module in [FOLDER / "strided_debug.spv", FOLDER / "spilling_mesh.spv", FOLDER / "own_lane_mesh.spv",
                       FOLDER / "too_much_shared_mesh.spv", FOLDER / "atomic_payload_task.spv", pathlib.Path(SEVERAL)]:
            page = pathlib.Path(name) / f"{module.stem}.html"
            subprocess.run([MILLRACE, "advise", module, "-o", page], check=True)
            for size, scheme in (("phone", "dark"), ("desktop", "light")):
                try_page(browser, page, size, scheme, screenshots)
    return 0


if __name__ == "__main__":
    sys.exit(main())

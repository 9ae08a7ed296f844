#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the page of `millrace report` in headless Chromium. By hand: needs chromium-driver and python3-selenium.

Usage: scripts/check_page.py PAGE.html [FOLDER]

Opens the page as wide as a phone and a desktop, light and dark, uses every control with mouse and keyboard, and fails on
script errors, requests to anywhere, or a page wider than the screen. With a folder, screenshots go there.
"""
import json
import pathlib
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def open_browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options)


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def use(browser, data):
    """Everything that can be used, with what has to happen."""
    find = lambda selector: browser.find_element(By.CSS_SELECTOR, selector)
    rows = lambda: browser.find_elements(By.CSS_SELECTOR, "#nodes tbody tr")
    graph = data["graphs"][0]
    check(len(rows()) == len(graph["nodes"]), "a row for each node")
    check(len(browser.find_elements(By.CSS_SELECTOR, "#overview dd")) == 13, "overview")

    # Sorting both ways, by the header buttons.
    headers = len(browser.find_elements(By.CSS_SELECTOR, "#nodes th button"))
    for column in range(headers):
        for _ in range(2):
            browser.find_elements(By.CSS_SELECTOR, "#nodes th button")[column].send_keys(Keys.ENTER)
            check(find("#nodes th[aria-sort]") == browser.find_elements(By.CSS_SELECTOR, "#nodes th")[column], "sorted")
    name = graph["nodes"][0]["name"]
    find("#find").send_keys(name)
    check(0 < len(rows()) <= len(graph["nodes"]), "search")
    rows()[0].click()
    check(len(browser.find_elements(By.CSS_SELECTOR, "tr.chosen")) == 1, "choose a row")
    find("#find").clear()
    find("#find").send_keys(Keys.SPACE, Keys.BACKSPACE)

    # The drawing.
    box = find(".drawing:not([hidden]) .node[tabindex]")
    browser.execute_script("arguments[0].focus()", box)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    check(len(browser.find_elements(By.CSS_SELECTOR, ".drawing .node.chosen")) == 1, "choose a box")
    measure = Select(find("#measure"))
    for option in range(len(measure.options)):
        measure.select_by_index(option)

    # The timeline.
    timeline = find("#timeline")
    steps = len(data["steps"]["level"])
    timeline.send_keys(Keys.HOME)
    check("Step 1 of" in find("#step").text, "first step")
    timeline.send_keys(Keys.ARROW_RIGHT)
    check("Step 2 of" in find("#step").text or steps == 1, "next step")
    timeline.send_keys(Keys.END, "+", "+", "-", Keys.ARROW_LEFT)
    for button in ("#zoom-in", "#zoom-out", "#zoom-all"):
        find(button).click()
    webdriver.ActionChains(browser).move_to_element(timeline).click().perform()
    start = time.monotonic()
    for _ in range(20):
        timeline.send_keys(Keys.ARROW_RIGHT)
    check(time.monotonic() - start < 20, "20 steps by keyboard take too long")
    finding = browser.find_elements(By.CSS_SELECTOR, "#findings button")
    if finding:
        finding[0].send_keys(Keys.ENTER)
        check(len(browser.find_elements(By.CSS_SELECTOR, "tr.chosen")) == 1, "choose by a finding")


def check_logs(browser):
    errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    check(not errors, errors)
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            check(url.startswith(("file:", "data:")), f"the page asks for {url}")


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    browser = open_browser()
    try:
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                    "features": [{"name": "prefers-color-scheme", "value": scheme}]})
                start = time.monotonic()
                browser.get(page.as_uri())
                took = time.monotonic() - start
                data = json.loads(browser.execute_script("return document.getElementById('data').textContent"))
                check(browser.execute_script("return document.documentElement.scrollWidth") <= width,
                      f"{size}: the page is wider than the screen")
                back = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
                check((back == "rgb(255, 255, 255)") == (scheme == "light"), f"{scheme}: background {back}")
                if folder:
                    browser.save_screenshot(str(folder / f"{size}-{scheme}.png"))
                use(browser, data)
                check_logs(browser)
                print(f"{size}, {scheme}: opened in {took:.1f} s, {len(data['steps']['level'])} steps, "
                      f"{sum(len(graph['nodes']) for graph in data['graphs'])} nodes")
    finally:
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())

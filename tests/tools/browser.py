# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium through chromedriver's WebDriver protocol (https://www.w3.org/TR/webdriver2), with real keys and
clicks. Debian: chromium-driver."""

import base64
import json
import os
import pathlib
import re
import subprocess
import urllib.request

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Backspace": "\ue003", "Shift": "\ue008",
        "Control": "\ue009", "Space": " "}
# Until something hangs. What the driver does by default, 30 s for a script, is too little on a machine that is busy elsewhere.
PATIENCE = 3600
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]


class Browser:
    def __init__(self, driver):
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        self.session = ""
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                self.address = f"http://127.0.0.1:{port[1]}"
                break
        else:
            raise RuntimeError(f"{driver} does not start")
        capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": ARGUMENTS},
                        "timeouts": {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE},
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        created = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = "/session/" + created["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.session:
            self.call("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:1000]}") from error

    def timeouts(self):
        """Seconds after which the driver gives up."""
        given = self.call("GET", self.session + "/timeouts")
        return {kind: given[kind] / 1000 for kind in ("script", "pageLoad")}

    def processor_seconds(self):
        """Of the driver and the browser: what they did, however busy the machine is with something else."""
        parents, ticks = {}, {}
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:  # it has ended
                continue
            fields = text[text.rindex(")") + 2:].split()  # the name may hold anything
            process = int(path.parent.name)
            parents[process], ticks[process] = int(fields[1]), sum(map(int, fields[11:15]))

        def is_ours(process):
            while process not in (0, self.driver.pid):
                process = parents.get(process, 0)
            return process != 0

        return sum(used for process, used in ticks.items() if is_ours(process)) / os.sysconf("SC_CLK_TCK")

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height, mobile):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=mobile)

    def prefer(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, page):
        self.call("POST", self.session + "/url", {"url": page.as_uri()})

    def js(self, expression, *arguments):
        """The value of an expression; `a` is the list of arguments, $ and $$ find elements."""
        script = ("const $ = (s) => document.querySelector(s), $$ = (s) => [...document.querySelectorAll(s)], "
                  f"a = arguments; return ({expression});")
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def act(self, *sources):
        self.call("POST", self.session + "/actions", {"actions": list(sources)})

    def keys(self, *names):
        """Presses and releases one key after the other. "Shift+Tab" holds the first."""
        actions = []
        for name in names:
            *held, last = [KEYS.get(part, part) for part in name.split("+")] if len(name) > 1 else [name]
            actions += [{"type": "keyDown", "value": key} for key in (*held, last)]
            actions += [{"type": "keyUp", "value": key} for key in (last, *reversed(held))]
        self.act({"type": "key", "id": "keys", "actions": actions})

    def place(self, selector, x=0.5, y=0.5):
        """A point of an element, which is scrolled to, in parts of its size."""
        return self.js("((e) => { e.scrollIntoView({block: 'center', inline: 'center'}); "
                       "const r = e.getBoundingClientRect(); return [Math.round(r.x + r.width * a[1]), "
                       "Math.round(r.y + r.height * a[2])]; })($(a[0]))", selector, x, y)

    def click(self, selector, x=0.5, y=0.5):
        self.drag(selector, (x, y), (x, y))

    def drag(self, selector, begin, end):
        start, stop = self.place(selector, *begin), self.place(selector, *end)
        move = lambda place: {"type": "pointerMove", "duration": 0, "x": place[0], "y": place[1]}
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            move(start), {"type": "pointerDown", "button": 0}, move(stop), {"type": "pointerUp", "button": 0}]})

    def move(self, selector, x=0.5, y=0.5):
        """The mouse, to a point of an element, in parts of its size."""
        self.move_to(*self.place(selector, x, y))

    def move_to(self, x, y):
        """The mouse, to a place of the window."""
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y}]})

    def wheel(self, selector, amount, control=False):
        x, y = self.place(selector)
        scroll = {"type": "wheel", "id": "wheel", "actions": [
            {"type": "pause"}, {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": amount, "duration": 0}]}
        held = {"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": KEYS["Control"]}, {"type": "pause"}, {"type": "keyUp", "value": KEYS["Control"]}]}
        self.act(*([held, scroll] if control else [scroll]))

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def problems(self):
        """Errors of scripts, and requests to anywhere; code of the page's own for a thread is none."""
        found = [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:")):
                    found.append(f"the page asks for {url}")
        return found

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

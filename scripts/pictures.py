#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of README.md and docs anew, in docs/images.

usage: pictures.py BUILD [NAME...]      of a build folder; NAME is examples, quad_tree, mandelbrot, forest, meadow, graph, report or
                                   speed
       pictures.py --check              whether speed.svg is what the tables of docs/performance.md say

Runs on lavapipe unless VK_DRIVER_FILES or --device of the tool says otherwise. The report needs chromedriver.
"""
import glob
import html
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
sys.path[:0] = [str(ROOT / "tests/examples"), str(ROOT / "tests/tools")]


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, **options)


def environment(build):
    """With the layer of the build, on lavapipe if nothing else is said."""
    drivers = [path for place in ("/usr/local/share", "/usr/share", "/etc")
               for path in glob.glob(f"{place}/vulkan/icd.d/lvp_icd*.json")]
    return {"VK_DRIVER_FILES": ":".join(drivers), **os.environ, "VK_ADD_LAYER_PATH": str(build / "src/layer"),
            "VK_INSTANCE_LAYERS": "VK_LAYER_MILLRACE_emulation"}


# Pictures of pixels: rows of texels of red, green, blue and, if all have it, alpha.

def write_png(path, rows):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    def filtered(row):
        """Differences from the texel before."""
        before = [[0] * len(row[0]), *row]
        return bytes((now - old) & 255 for pair in zip(row, before) for now, old in zip(*pair))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, {3: 2, 4: 6}[len(rows[0][0])], 0, 0, 0)
    lines = b"".join(b"\1" + filtered(row) for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) +
                     chunk(b"IEND", b""))


def with_alpha(texel):
    return [*texel, 255] if len(texel) == 3 else [*texel[:1] * 3, 255] if len(texel) == 1 else texel


def enlarged(rows, factor):
    wide = [[with_alpha(texel) for texel in row for _ in range(factor)] for row in rows]
    return [row for row in wide for _ in range(factor)]


def halved(rows):
    """Without alpha."""
    def mean(texels):
        return [(sum(values) + 2) // 4 for values in zip(*texels)][:3]

    return [[mean(texels) for texels in zip(upper[::2], upper[1::2], lower[::2], lower[1::2])]
            for upper, lower in zip(rows[::2], rows[1::2])]


def side_by_side(pictures, gap):
    """With transparent texels around them."""
    height = max(map(len, pictures))
    rows = [[] for _ in range(height)]
    for number, picture in enumerate(pictures):
        above = (height - len(picture)) // 2
        for y, row in enumerate(rows):
            row += [[0, 0, 0, 0]] * (gap if number > 0 else 0)
            row += picture[y - above] if 0 <= y - above < len(picture) else [[0, 0, 0, 0]] * len(picture[0])
    return rows


def drawn_by(build, name):
    import picture  # of the tests

    with tempfile.TemporaryDirectory() as folder:
        run(build / "tools/millrace", "run", ROOT / "examples" / name / "graph.json", "-o", folder)
        return picture.read(pathlib.Path(folder) / f"{name}.png")


def drawn_by_example(build, name, factor):
    return enlarged(drawn_by(build, name), factor)


def examples(build):
    names = {"koch": 1, "menger": 2, "material_classification": 2, "quad_tree": 2, "breadth_first_search": 4, "fan_out": 2}
    write_png(IMAGES / "examples.png",
              side_by_side([drawn_by_example(build, name, factor) for name, factor in names.items()], 12))


def quad_tree(build):
    write_png(IMAGES / "quad_tree.png", drawn_by_example(build, "quad_tree", 3))


def mandelbrot(build):
    run(build / "examples/mandelbrot/mandelbrot", "--size", 1000, "--show-squares", "--repeat", 1, "--output",
        IMAGES / "mandelbrot.png", env=environment(build))


def forest(build):
    own = {"VK_MILLRACE_EMULATION_ENABLE": "generated_commands", "VK_MILLRACE_EMULATION_FORCE_ENABLE": "true"}
    run(build / "examples/forest/forest", IMAGES / "forest.png", env={**environment(build), **own})


def meadow(build):
    write_png(IMAGES / "meadow.png", halved(drawn_by(build, "meadow")))


def graph(build):
    run(build / "tools/millrace", "graph", ROOT / "examples/mariani_silver/graph.json", "-o", IMAGES / "graph.svg")


def report(build):
    """What README.md says, as a browser shows it."""
    import base64
    from browser import Browser  # of the tests

    with tempfile.TemporaryDirectory() as name, Browser("chromedriver") as browser:
        folder = pathlib.Path(name)
        run(build / "tools/millrace", "run", ROOT / "examples/mariani_silver/graph.json", "-o", folder, "--repeat", 6,
            "--trace-detail", "nodes", "--trace", folder / "squares.mrtrace")
        run(build / "tools/millrace", "report", folder / "squares.mrtrace", "--skip-runs", 1, "-o", folder / "squares.html")
        browser.resize(1180, 900, False)
        browser.prefer("light")
        browser.open(folder / "squares.html")
        browser.js("$('#timeline').focus()")
        browser.keys("End")
        browser.js("(() => { document.activeElement.blur(); scrollTo(0, 0); })()")
        height = browser.js("document.documentElement.scrollHeight")
        browser.resize(1180, height, False)
        shot = browser.devtools("Page.captureScreenshot", format="png")
        (IMAGES / "report.png").write_bytes(base64.b64decode(shot["data"]))


# The chart of docs/performance.md, of two of its tables.

def middle(text):
    """"1,070" and "80 to 86" as numbers."""
    numbers = [float(number.replace(",", "")) for number in re.findall(r"[\d.,]*\d", text)]
    return sum(numbers) / len(numbers) if numbers else None


def cells_below(head):
    """Of each row of the table of docs/performance.md whose head begins so."""
    text = (ROOT / "docs/performance.md").read_text()
    table = re.search(rf"^{re.escape(head)}.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def graph_speeds():
    """Of each workload: its name, and the times of Millrace, of vkd3d-proton or None, and by hand."""
    return [(row[0], *map(middle, row[1:4])) for row in cells_below("| workload |")]


def command_speeds():
    """Of each number of sequences: what they are; the times of Millrace, of the driver's own extension, of a host loop."""
    for name, *columns in cells_below("| H100 | sequences | layer | driver's own | host loop |"):
        what = re.sub(r" \([0-9a-f]{7,}\)", "", name)
        for sequences, *times in zip(*(column.split(";") for column in columns[:4])):
            yield f"{what}, {sequences.strip()} sequences", *map(middle, times)


def speed_marks(row, y, left, at):
    name, millrace, other, hand = row
    yield f'<text x="{left - 16}" y="{y + 5}" text-anchor="end">{html.escape(name)}</text>'
    if other:
        yield f'<circle class="other" cx="{at(other / hand):.1f}" cy="{y}" r="5"/>'
    yield f'<circle class="{"ahead" if millrace < hand else "behind"}" cx="{at(millrace / hand):.1f}" cy="{y}" r="6"/>'


def speed_svg():
    left, right, pitch = 430, 970, 24
    blocks = [("Graphs on an H200", graph_speeds()),
              ("Generated commands on an H100; by hand: a host loop", command_speeds())]
    blocks = [(title, sorted(rows, key=lambda row: row[1] / row[3])) for title, rows in blocks]
    top = 58
    bottom = top + pitch * sum(len(rows) + 1 for _, rows in blocks)
    at = lambda ratio: left + (right - left) * (math.log2(ratio) + 4) / 10  # from 1/16 to 64
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {bottom + 34}" font-family="sans-serif" '
             'font-size="14" role="img" aria-label="GPU time as a multiple of the best program by hand">',
             "<style>text{fill:#1b1f24}.dim{fill:#5b6470}.line{stroke:#cfd5dc}.hand{stroke:#1b1f24;stroke-width:2}"
             ".ahead{fill:#0b62c4}.behind{fill:#c8502d}.other{fill:none;stroke:#5b6470;stroke-width:2}"
             "@media(prefers-color-scheme:dark){text{fill:#e6e9ed}.dim{fill:#9aa4b0}.line{stroke:#3a424c}"
             ".hand{stroke:#e6e9ed}.ahead{fill:#6db1ff}.behind{fill:#ef8a62}.other{stroke:#9aa4b0}}</style>",
             '<text x="0" y="18" font-weight="bold">GPU time, as a multiple of the best program by hand</text>',
             '<circle class="ahead" cx="440" cy="13" r="6"/><text x="452" y="18">Millrace, ahead</text>',
             '<circle class="behind" cx="580" cy="13" r="6"/><text x="592" y="18">Millrace, behind</text>',
             '<circle class="other" cx="730" cy="13" r="5"/><text x="742" y="18">vkd3d-proton\'s; NVIDIA\'s own</text>']
    for power in range(-4, 7):
        x = at(2.0 ** power)
        label = f"1/{2 ** -power}" if power < 0 else str(2 ** power)
        parts.append(f'<line class="{"hand" if power == 0 else "line"}" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 8}" '
                     f'y2="{bottom}"/><text class="dim" x="{x:.1f}" y="{top - 14}" text-anchor="middle">{label}</text>')
    y = top + pitch // 2
    for title, rows in blocks:
        parts.append(f'<text class="dim" x="{left - 16}" y="{y + 5}" text-anchor="end">{html.escape(title)}</text>')
        for row in rows:
            y += pitch
            parts += speed_marks(row, y, left, at)
        y += pitch
    parts += [f'<text class="dim" x="{at(1) - 10:.1f}" y="{bottom + 22}" text-anchor="end">faster than by hand</text>',
              f'<text class="dim" x="{at(1) + 10:.1f}" y="{bottom + 22}">slower</text>', "</svg>"]
    return "\n".join(parts) + "\n"


def speed(_):
    (IMAGES / "speed.svg").write_text(speed_svg())


ALL = {function.__name__: function for function in (examples, quad_tree, mandelbrot, forest, meadow, graph, report, speed)}


def main():
    if sys.argv[1:] == ["--check"]:
        if (IMAGES / "speed.svg").read_text() != speed_svg():
            sys.exit("docs/images/speed.svg is not what docs/performance.md says: scripts/pictures.py BUILD speed")
        return
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(ALL):
        sys.exit(__doc__)
    for name in sys.argv[2:] or ALL:
        ALL[name](pathlib.Path(sys.argv[1]).resolve())
        print(f"made {name}")


if __name__ == "__main__":
    main()

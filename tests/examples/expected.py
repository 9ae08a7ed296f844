# SPDX-License-Identifier: Apache-2.0
"""What the examples must give, computed in another way than their shaders do. Each function returns the "results" of a
file for `millrace run --check`; FOLDER is that of the examples."""

import collections
import struct

import picture


def single(value):
    """Rounds to 32 bits; one operation of two such numbers in 64 bits, rounded, is what 32 bits would give."""
    return struct.unpack("f", struct.pack("f", value))[0]


def first_graph(folder):
    return {"result": {"data": {"sum": sum(range(101)), "runs": 100}}}


def fan_out(folder):
    """Sierpinski's triangle: the odd numbers of Pascal's."""
    size, row, rows = 64, [1], []
    binomials = []
    for _ in range(2 * size):
        binomials.append(row)
        row = [1, *[(a + b) % 2 for a, b in zip(row, row[1:])], 1]
    for y in range(size):
        rows.append([[255 * binomials[x + y][y]] * 3 + [255] for x in range(size)])
    return {"picture": {"data": rows}}


def coalescing(folder):
    """Row by row: how many middles of cells are left of the circle."""
    inside = 0
    for y in range(128):
        inside += sum(1 for x in range(128) if (x + 0.5) ** 2 + (y + 0.5) ** 2 <= 128 ** 2)
    return {"totals": {"data": {"inside": inside, "points_seen": 128 * 128}}}


def scramble(x):
    x = (x ^ x >> 16) * 0x7feb352d & 0xffffffff
    x = (x ^ x >> 15) * 0x846ca68b & 0xffffffff
    return x ^ x >> 16


def koch_points(start, end):
    third = [single(single(b - a) * single(1 / 3)) for a, b in zip(start, end)]
    height = [single(-third[1] * single(0.8660254)), single(third[0] * single(0.8660254))]
    tip = [single(single(a + single(t * 1.5)) + h) for a, t, h in zip(start, third, height)]
    first = [single(a + t) for a, t in zip(start, third)]
    second = [single(b - t) for b, t in zip(end, third)]
    return [start, first, tip, second, end]


def koch(folder):
    segments = [([0, 0], [0.5, 0.875]), ([0.5, 0.875], [1, 0]), ([1, 0], [0, 0])]
    for _ in range(4):
        segments = [part for segment in segments for part in zip(koch_points(*segment), koch_points(*segment)[1:])]
    rows = [[[16, 24, 48, 255] for _ in range(256)] for _ in range(288)]
    for start, end in segments:
        for i in range(32):
            way = [single(single(b - a) * (i / 32)) for a, b in zip(start, end)]
            x, y = [int(single(single(single(a + w) * 192) + move)) for a, w, move in zip(start, way, (32, 80))]
            rows[y][x] = [255, 153, 51, 255]
    return {"curve": {"data": {"curve": [[*start, *end] for start, end in segments]}},
            "picture": {"data": rows}}


def menger(folder):
    """Every cube of 27 x 27 x 27 that is in the sponge, from far to near."""
    def is_solid(x, y, z):
        while x or y or z:
            if (x % 3 == 1) + (y % 3 == 1) + (z % 3 == 1) > 1:
                return False
            x, y, z = x // 3, y // 3, z // 3
        return True

    cubes = [(x, y, z) for x in range(27) for y in range(27) for z in range(27) if is_solid(x, y, z)]
    keys = [[0] * 112 for _ in range(112)]
    faces = [" tt ", "tttt", "llrr", "llrr"]
    for x, y, z in sorted(cubes, key=sum):
        for row in range(4):
            for column in range(4):
                side = " tlr".index(faces[row][column])
                place = (x + y - 2 * z + 54 + row, 2 * (x - y) + 54 + column)
                if side:
                    keys[place[0]][place[1]] = max(keys[place[0]][place[1]], (x + y + z + 1) * 4 + side)
    tints = [(0, 0, 0), (3, 3, 2), (2, 1, 1), (1, 1, 2)]
    image = [[[*(tint * (key // 4 + 5) for tint in tints[key % 4]), 255] for key in row] for row in keys]
    return {"count": {"data": {"cubes": len(cubes)}}, "nearest": {"data": keys}, "picture": {"data": image}}


def material_classification(folder):
    def material(x, y):
        if (x - 48) ** 2 + (y - 52) ** 2 < 26 ** 2:
            return 2
        if 84 <= x < 112 and 40 <= y < 80:
            return 3
        return 0 if y < 56 else 1

    def brick(x, y):
        return [90, 60, 50] if y % 8 == 0 or x % 16 == (8 if y // 8 % 2 else 0) else [170, 90, 60]

    shaders = [lambda x, y: [90 + y, 140 + y, 230],
               lambda x, y: [70, 70, 80] if (x // 8 + y // 4) % 2 else [200, 200, 190],
               lambda x, y: [255 - 2 * x, 120 - min(y, 80), 40],
               brick]
    rows = [[[*shaders[material(x, y)](x, y), 255] for x in range(128)] for y in range(96)]
    tiles = {(material(x, y), x // 8, y // 8) for x in range(128) for y in range(96)}
    counts = collections.Counter(tile[0] for tile in tiles)
    return {"counts": {"data": {"tiles": [counts[m] for m in range(4)]}}, "picture": {"data": rows}}


def mariani_silver(folder):
    def dwell_at(x, y):
        cx, cy, zx, zy = x * 96 - 9216, y * 96 - 6144, 0, 0
        for step in range(63):
            if zx * zx + zy * zy > 4 * 4096 * 4096:
                return step
            # Division that rounds towards zero.
            zx, zy = int((zx * zx - zy * zy) / 4096) + cx, int(2 * zx * zy / 4096) + cy
        return 63

    def colour(dwell):
        return [0, 0, 0] if dwell == 63 else [4 * dwell, 2 * dwell, 160 - 2 * dwell]

    dwells = [[dwell_at(x, y) for x in range(128)] for y in range(128)]
    rows = [[None] * 128 for _ in range(128)]
    counts = {"squares": 0, "filled": 0, "drawn": 0}

    def square(x, y, size, depth):
        counts["squares"] += 1
        border = {dwells[y + j][x + i] for j in range(size) for i in range(size)
                  if i in (0, size - 1) or j in (0, size - 1)}
        if len(border) > 1 and depth > 0:
            half = size // 2
            for corner in (x, y), (x + half, y), (x, y + half), (x + half, y + half):
                square(*corner, half, depth - 1)
            return
        counts["drawn" if len(border) > 1 else "filled"] += 1
        for j in range(size):
            for i in range(size):
                if len(border) > 1:
                    rows[y + j][x + i] = [*colour(dwells[y + j][x + i]), 255]
                else:
                    brighter = 60 if i == 0 or j == 0 else 0
                    rows[y + j][x + i] = [*(min(c + brighter, 255) for c in colour(min(border))), 255]

    square(0, 0, 128, 4)
    assert counts["filled"] > 16 and counts["drawn"] > 16
    return {"counts": {"data": counts}, "picture": {"data": rows}}


def downsampler(folder):
    level = [[[*texel, 255] for texel in row] for row in picture.read(folder / "downsampler/picture.png")]
    atlas = [[[0] * 4 for _ in range(96)] for _ in range(64)]
    place = (0, 0)
    while len(level) > 1:
        level = [[[(level[2 * y][2 * x][c] + level[2 * y][2 * x + 1][c] + level[2 * y + 1][2 * x][c] +
                    level[2 * y + 1][2 * x + 1][c] + 2) // 4 for c in range(4)]
                  for x in range(len(level) // 2)] for y in range(len(level) // 2)]
        for y, row in enumerate(level):
            atlas[place[1] + y][place[0]:place[0] + len(row)] = row
        # To the right of the first level, then downwards.
        place = (64, 0) if place == (0, 0) else (64, place[1] + len(level))
    return {"atlas": {"data": atlas}}


def breadth_first_search(folder):
    cave = picture.read(folder / "breadth_first_search/cave.png")
    distances = {(1, 1): 0}
    queue = collections.deque(distances)
    while queue:
        x, y = queue.popleft()
        for place in (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1):
            if cave[place[1]][place[0]][0] and place not in distances:
                distances[place] = distances[x, y] + 1
                queue.append(place)
    farthest = max(distances.values())
    assert 20 < farthest <= 100, "the graph's recursion must be enough"
    rows = [[[40, 36, 32, 255] for _ in range(32)] for _ in range(32)]
    for (x, y), d in distances.items():
        rows[y][x] = [255 - 2 * d, 80 + d, 2 * d, 255]
    return {"distances": {"data": {"reached": len(distances), "farthest": farthest,
                                   "distances": [distances.get((i % 32, i // 32), 0xffffffff) for i in range(1024)]}},
            "picture": {"data": rows}}


def quad_tree(folder):
    source = picture.read(folder / "downsampler/picture.png")
    rows = [[None] * 128 for _ in range(128)]
    leaves = 0

    def draw(x, y, size, depth):
        nonlocal leaves
        texels = [texel for row in source[y:y + size] for texel in row[x:x + size]]
        channels = list(zip(*texels))
        if depth > 0 and max(max(channel) - min(channel) for channel in channels) > 24:
            for corner in (x, y), (x + size // 2, y), (x, y + size // 2), (x + size // 2, y + size // 2):
                draw(*corner, size // 2, depth - 1)
            return
        leaves += 1
        mean = [sum(channel) // len(channel) for channel in channels]
        for j in range(size):
            for i in range(size):
                is_line = size > 2 and (i == 0 or j == 0)
                rows[y + j][x + i] = [*(value * 3 // 4 if is_line else value for value in mean), 255]

    draw(0, 0, 128, 6)
    return {"leaves": {"data": {"leaves": leaves}}, "picture": {"data": rows}}


def histogram_tree(folder):
    def sample(i):
        hill = sum(scramble(i + step) & 0xffff for step in (0, 4096, 8192)) // 3
        return 50000 + (scramble(i) & 63) if i % 8 == 0 else hill

    samples = [sample(i) for i in range(4096)]
    leaves, ranges = [], 0
    todo = [(0, 65536, samples)]
    while todo:
        first, size, inside = todo.pop()
        ranges += 1
        width = size // 16
        bins = collections.defaultdict(list)
        for value in inside:
            bins[(value - first) // width].append(value)
        for index, values in bins.items():
            if len(values) > 96 and width > 1:
                todo.append((first + index * width, width, values))
            else:
                leaves.append({"first": first + index * width, "size": width, "count": len(values)})
    assert sum(leaf["count"] for leaf in leaves) == 4096
    return {"samples": {"data": {"samples": samples}},
            "leaves": {"data": {"leaves": leaves}, "order": "any", "prefix": True},
            "totals": {"data": {"leaf_count": len(leaves), "range_count": ranges,
                                "smallest": min(leaf["size"] for leaf in leaves)}}}


def meadow_tiles():
    """Corner and size of each tile that is drawn, the rows of grass on it and its groups of flowers."""
    eye, detail, smallest = (2048, 40), 3, 8
    todo = [((0, 0), 4096)]
    while todo:
        corner, size = todo.pop()
        apart = [max(low - at, at - low - size, 0) for at, low in zip(eye, corner)]
        away = corner[1] + size - eye[1]
        if away <= 0 or 4 * apart[0] > 3 * away + 32:
            continue
        square = apart[0] ** 2 + apart[1] ** 2
        if square < (detail * size) ** 2 and size > smallest:
            half = size // 2
            todo += [((corner[0] + x, corner[1] + y), half) for x in (0, half) for y in (0, half)]
            continue
        ratio = square // size ** 2
        rows = 0 if size > 256 else 48 if ratio < 12 else 40 if ratio < 24 else 32
        rich = scramble((corner[0] // 32 * 65537 + corner[1] // 32) & 0xffffffff) % 4
        chance = scramble((corner[0] * 65537 + corner[1] + 1) & 0xffffffff) % 4
        groups = 0 if size > 256 else int(chance < rich) if size <= 16 else rich + chance // 2 if size <= 32 else 3 + chance
        yield list(corner), size, rows, groups


def meadow(folder):
    tiles = list(meadow_tiles())
    assert {size for _, size, _, _ in tiles} >= {8, 16, 32, 64, 128, 256, 512}
    return {"counts": {"data": {"tiles": len(tiles), "rows_of_grass": sum(tile[2] for tile in tiles),
                                "groups_of_flowers": sum(tile[3] for tile in tiles)}}}


def meadow_by_host(graph):
    """The meadow without its compute node: the host sends mesh nodes what they draw."""
    def patches(column):
        return [{"grid": [tile[column], 1, 1], "corner": tile[0], "size": tile[1]}
                for tile in meadow_tiles() if tile[column] > 0]

    launches = [{"node": "sky"},
                {"node": "ground", "payloads": [{"corner": tile[0], "size": tile[1]} for tile in meadow_tiles()]},
                {"node": "grass", "payloads": patches(2)}, {"node": "flowers", "payloads": patches(3)}]
    return {**graph, "nodes": graph["nodes"][1:], "buffers": [], "dispatches": [{"launches": launches}]}


# Of examples that draw: a graph that draws the same.
BY_HOST = {"meadow": meadow_by_host}

ALL = {function.__name__: function for function in (
    first_graph, fan_out, coalescing, koch, menger, material_classification, mariani_silver, downsampler,
    breadth_first_search, quad_tree, histogram_tree, meadow)}

# SPDX-License-Identifier: Apache-2.0
"""Reads PNG files of 8 bits without interlacing, as the examples have them."""

import struct
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def predict(kind, left, above, corner):
    if kind == 4:
        guess = left + above - corner
        return min((left, above, corner), key=lambda value: abs(guess - value))
    return (0, left, above, (left + above) // 2)[kind]


def read(path):
    """Rows of texels, each a list of its components."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), path
    parts = list(chunks(data))
    width, height, bits, colour, _, _, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    assert bits == 8 and interlace == 0, path
    size = {0: 1, 2: 3, 6: 4}[colour]
    raw = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    above = [0] * (width * size)
    rows = []
    for y in range(height):
        line = raw[y * (width * size + 1):(y + 1) * (width * size + 1)]
        row = list(line[1:])
        for i, value in enumerate(row):
            left, corner = (row[i - size], above[i - size]) if i >= size else (0, 0)
            row[i] = (value + predict(line[0], left, above[i], corner)) & 255
        rows.append([row[i:i + size] for i in range(0, len(row), size)])
        above = row
    return rows

// SPDX-License-Identifier: Apache-2.0
// Triangles in whole pixels. Of those that cover a pixel, the nearest wins, and of equal ones the first.
#include "../buffers.glsl"

struct Triangle {
    ivec2 v[3];
    uvec3 z;
    uint id;
};

Triangle fetch(Pairs vertices, uint id)
{
    Triangle triangle;
    for (uint i = 0; i < 3; ++i) {
        const uvec2 vertex = vertices.v[3 * id + i];
        triangle.v[i] = ivec2(vertex.x & 0xffff, vertex.x >> 16);
        triangle.z[i] = vertex.y;
    }
    triangle.id = id;
    return triangle;
}

int edge(ivec2 a, ivec2 b, ivec2 p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

ivec3 edges(ivec2 v[3], ivec2 p)
{
    return ivec3(edge(v[1], v[2], p), edge(v[2], v[0], p), edge(v[0], v[1], p));
}

int doubleArea(ivec2 v[3])
{
    return edge(v[0], v[1], v[2]);
}

// First and last pixel.
ivec4 boxOf(ivec2 v[3])
{
    return ivec4(min(v[0], min(v[1], v[2])), max(v[0], max(v[1], v[2])));
}

uint sizeOf(ivec4 box)
{
    return uint((box.z - box.x + 1) * (box.w - box.y + 1));
}

uint binOf(uint size)
{
    return size <= 1 ? 0 : findMSB(size - 1) + 1;
}

// All four corners are outside of one edge.
bool misses(ivec2 v[3], ivec4 box)
{
    const ivec3 a = edges(v, box.xy);
    const ivec3 b = edges(v, box.zy);
    const ivec3 c = edges(v, box.xw);
    const ivec3 d = edges(v, box.zw);
    return any(lessThan(max(max(a, b), max(c, d)), ivec3(0)));
}

void cover(Words depths, Triangle triangle, int area, ivec2 p)
{
    const ivec3 w = edges(triangle.v, p);
    if (all(greaterThanEqual(w, ivec3(0)))) {
        const uvec3 part = uvec3(w) * triangle.z;
        const uint depth = (part.x + part.y + part.z) / uint(area);
        atomicMin(depths.v[p.y * WIDTH + p.x], depth << 17 | triangle.id);
    }
}

// What invocation `lane` of `lanes` in a row has to do.
void coverBox(Words depths, Triangle triangle, ivec4 box, uint lane, uint lanes)
{
    const int area = doubleArea(triangle.v);
    for (int y = box.y; y <= box.w; ++y) {
        for (int x = box.x + int(lane); x <= box.z; x += int(lanes)) {
            cover(depths, triangle, area, ivec2(x, y));
        }
    }
}

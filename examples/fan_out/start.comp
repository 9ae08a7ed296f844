#version 460
// SPDX-License-Identifier: Apache-2.0
// The first node: a payload for every row of the picture, with a grid as wide as the picture.
#include "row.glsl"

layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 64) in;

struct Picture {
    uint size;  // up to 64 rows and columns
};
nodein Picture picture;

layout(node = "row") nodeout Row rows[64];

void main()
{
    const uint y = gl_LocalInvocationIndex;
    allocateWorkgroup(rows, picture.size);
    if (y < picture.size) {
        rows[y].columns = uvec3(picture.size, 1, 1);
        rows[y].y = y;
    }
    enqueue(rows);
}

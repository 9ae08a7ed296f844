#version 460
// SPDX-License-Identifier: Apache-2.0
// Draws one row of Sierpinski's triangle; workgroup x does column x.
#include "row.glsl"

layout(name = "row", max_grid = uvec3(32, 1, 1), api_entry = false) node;
layout(local_size_x = 1) in;

nodein Row row;

layout(set = 0, binding = 0) buffer Pixels { uint pixels[]; };

void main()
{
    const uint x = gl_WorkGroupID.x;
    const uint size = row.columns.x;
    pixels[row.y * size + x] = (x & row.y) == 0 ? 1 : 0;
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// Draws one row of Sierpinski's triangle; workgroup x does column x.
#include "row.glsl"

layout(name = "row", max_grid = uvec3(64, 1, 1), api_entry = false) node;
layout(local_size_x = 1) in;

nodein Row row;

layout(set = 0, binding = 0, rgba8) writeonly uniform image2D picture;

void main()
{
    const uint x = gl_WorkGroupID.x;
    const vec3 colour = (x & row.y) == 0 ? vec3(1) : vec3(0);
    imageStore(picture, ivec2(x, row.y), vec4(colour, 1));
}

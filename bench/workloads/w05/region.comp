#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// The inside of a square: of one value (node "fill"), or not (node "draw", with DRAW).
#include "payloads.glsl"
#ifdef DRAW
layout(name = "draw", max_grid = uvec3((2 * LEAST + 7) / 8, (2 * LEAST + 7) / 8, 1), api_entry = false) node;
#else
layout(name = "fill", max_grid = uvec3((TILE + 5) / 8, (TILE + 5) / 8, 1), api_entry = false) node;
#endif
layout(local_size_x = 8, local_size_y = 8) in;

nodein Region region;

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < region.size && at.y < region.size) {
        const uvec2 pixel = region.at + at;
#ifdef DRAW
        const uint value = dwellAt(pixel);
#else
        const uint value = region.value;
#endif
        dwells.v[pixel.y * kWidth + pixel.x] = value;
    }
}

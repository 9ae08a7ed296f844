#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// The inside of a square: of one value (node "fill"), or not (node "draw", with DRAW).
#include "payloads.glsl"
#ifdef DRAW
const uint kMost = (2 * LEAST + kDraw - 1) / kDraw;
layout(name = "draw", max_grid = uvec3(kMost, kMost, 1), api_entry = false) node;
layout(local_size_x = kDraw, local_size_y = kDraw) in;
#else
const uint kMost = (TILE - 2 + kFill - 1) / kFill;
layout(name = "fill", max_grid = uvec3(kMost, kMost, 1), api_entry = false) node;
layout(local_size_x = kFill, local_size_y = kFill) in;
#endif

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

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Computes every pixel of a small square.
#include "payloads.glsl"
layout(name = "draw", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

nodein Square square;

void main()
{
    for (uint y = gl_LocalInvocationID.y; y < square.size; y += 8) {
        for (uint x = gl_LocalInvocationID.x; x < square.size; x += 8) {
            const uvec2 pixel = square.corner + uvec2(x, y);
            imageStore(picture, ivec2(pixel), colourOf(dwellAt(pixel)));
        }
    }
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(counts.drawn, 1);
    }
}

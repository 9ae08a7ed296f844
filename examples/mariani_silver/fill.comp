#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Paints an area of one colour, with a brighter line on two sides to show where nothing was computed.
#include "payloads.glsl"
layout(name = "fill", max_grid = uvec3(16, 16, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

nodein Area area;

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < area.size && at.y < area.size) {
        const uvec4 line = uvec4(at.x == 0 || at.y == 0 ? uvec3(60) : uvec3(0), 0);
        imageStore(picture, ivec2(area.corner + at), min(colourOf(area.dwell) + line, uvec4(255)));
    }
    if (at == uvec2(0)) {
        atomicAdd(counts.filled, 1);
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "start", static_grid = uvec3((QUERIES + 63) / 64, 1, 1)) node;
layout(local_size_x = 64) in;

layout(node = "visit") nodeout Visit visits[64];

void main()
{
    const uint query = gl_GlobalInvocationID.x;
    allocateInvocation(visits, query < QUERIES ? 1 : 0);
    if (query < QUERIES) {
        visits[0].node = 0;
        visits[0].query = query;
        const uvec2 at = queryAt(query);
        visits[0].at = at.x | at.y << 16;
    }
    enqueue(visits);
}

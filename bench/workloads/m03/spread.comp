#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "record.glsl"
layout(name = "spread", static_grid = uvec3(GRID_X, GRID_Y, 1)) node;
layout(local_size_x = 64) in;

layout(node = "absorb") nodeout Record records[64 * EACH];

void main()
{
    const uint first = (gl_WorkGroupID.y * GRID_X + gl_WorkGroupID.x) * 64 * EACH + gl_LocalInvocationIndex;
    allocateInvocation(records, EACH);
    for (uint i = 0; i < EACH; ++i) {
#ifdef QUADS
        for (uint j = 0; j < QUADS; ++j) {
            records[i].quads[j] = quadOf(first + 64 * i, 4 * j);
        }
#else
        for (uint j = 0; j < WORDS; ++j) {
            records[i].words[j] = wordOf(first + 64 * i, j);
        }
#endif
    }
    enqueue(records);
}

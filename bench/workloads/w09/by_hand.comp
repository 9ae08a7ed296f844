#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Tiles, whose counts go to memory (TABLE: to a table, which COMBINE adds up with a workgroup for each count).
#include "histogram.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Quads keys; Words sums; Words table; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
#ifdef COMBINE
    uint sum = 0;
    for (uint i = lane; i < TILES; i += 256) {
        sum += table.v[gl_WorkGroupID.x * TILES + i];
    }
    counts[lane] = sum;
    for (uint width = 128; width > 0; width /= 2) {
        barrier();
        if (lane < width) {
            counts[lane] += counts[lane + width];
        }
    }
    if (lane == 0) {
        sums.v[gl_WorkGroupID.x] = counts[0];
    }
#else
    countTile(keys, gl_WorkGroupID.x);
#ifdef TABLE
    table.v[lane * TILES + gl_WorkGroupID.x] = counts[lane];
#else
    atomicAdd(sums.v[lane], counts[lane]);
#endif
#endif
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level by hand, with a workgroup of a suitable size for each square: no atomics on memory but for the lists.
#include "arguments.glsl"
layout(local_size_x = LOCAL) in;
shared uint least;
shared uint most;

void main()
{
    const uint lane = gl_LocalInvocationIndex;
#if LEVEL == 0
    const uvec2 at = uvec2(gl_WorkGroupID.x % TILES, gl_WorkGroupID.x / TILES) * TILE;
#else
    const uvec2 at = squares.v[gl_WorkGroupID.x];
#endif
    if (lane == 0) {
        least = ~0u;
        most = 0;
    }
    barrier();
    uint low = ~0u;
    uint high = 0;
    for (uint i = lane; i < 4 * (SIZE - 1); i += LOCAL) {
        const uvec2 pixel = at + borderPixel(i, SIZE);
        const uint dwell = dwellAt(pixel);
        dwells.v[pixel.y * kWidth + pixel.x] = dwell;
        low = min(low, dwell);
        high = max(high, dwell);
    }
    atomicMin(least, low);
    atomicMax(most, high);
    barrier();
    if (lane == 0) {
        if (least == most) {
            same.v[atomicAdd(counters.v[(2 * LEVEL + 1) * 32], 1)] = uvec4(at + 1, least, 0);
        } else {
#ifdef LAST
            parts.v[atomicAdd(counters.v[2 * LEVEL * 32], 1)] = at + 1;
#else
            const uint first = atomicAdd(counters.v[2 * LEVEL * 32], 4);
            for (uint i = 0; i < 4; ++i) {
                parts.v[first + i] = at + 1 + (SIZE - 2) / 2 * uvec2(i % 2, i / 2);
            }
#endif
        }
    }
}

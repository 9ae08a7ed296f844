#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// The only pass where the capacity of each material's queue is known: four tiles to a workgroup, one reservation for all.
#include "arguments.glsl"
layout(local_size_x = 16, local_size_y = 16) in;
shared uint histogram[128];
shared uint base[128];
const uint kTiles = 4;

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    if (lane < 128) {
        histogram[lane] = 0;
    }
    barrier();
    const uvec2 first = uvec2(gl_WorkGroupID.x * kTiles * 16, gl_WorkGroupID.y * 16) + gl_LocalInvocationID.xy;
    uint material[kTiles];
    uint rank[kTiles];
    for (uint i = 0; i < kTiles; ++i) {
        const uvec2 at = first + uvec2(16 * i, 0);
        material[i] = ~0u;
        if (at.x < WIDTH && at.y < HEIGHT) {
            material[i] = materials.v[at.y * WIDTH + at.x];
            rank[i] = atomicAdd(histogram[material[i]], 1);
        }
    }
    barrier();
    if (lane < MATERIALS && histogram[lane] != 0) {
        base[lane] = atomicAdd(counters.v[lane * kStride], histogram[lane]);
    }
    barrier();
    for (uint i = 0; i < kTiles; ++i) {
        if (material[i] != ~0u) {
            payloads.v[material[i] * capacity + base[material[i]] + rank[i]] = first + uvec2(16 * i, 0);
        }
    }
}

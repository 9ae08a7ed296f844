#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// First pass (without SCATTER): counts pixels of each material. Second: puts them behind one another.
#include "arguments.glsl"
layout(local_size_x = 256) in;
#ifdef SCATTER
#include "scan.glsl"
#endif
shared uint histogram[128];
shared uint base[128];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    if (lane < 128) {
        histogram[lane] = 0;
    }
    barrier();
    uint material[EACH];
    uint rank[EACH];
    for (uint i = 0; i < EACH; ++i) {
        const uint pixel = (gl_WorkGroupID.x * EACH + i) * 256 + lane;
        material[i] = pixel < WIDTH * HEIGHT ? materials.v[pixel] : ~0u;
        if (material[i] < MATERIALS) {
            rank[i] = atomicAdd(histogram[material[i]], 1);
        }
    }
    barrier();
#ifdef SCATTER
    scanCounters();
    if (lane < MATERIALS && histogram[lane] != 0) {
        base[lane] = before[lane].x + atomicAdd(counters.v[(128 + lane) * kStride], histogram[lane]);
    }
    barrier();
    for (uint i = 0; i < EACH; ++i) {
        const uint pixel = (gl_WorkGroupID.x * EACH + i) * 256 + lane;
        if (material[i] < MATERIALS) {
            payloads.v[base[material[i]] + rank[i]] = uvec2(pixel % WIDTH, pixel / WIDTH);
        }
    }
#else
    if (lane < MATERIALS && histogram[lane] != 0) {
        atomicAdd(counters.v[lane * kStride], histogram[lane]);
    }
#endif
}

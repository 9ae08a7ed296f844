#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// SPDX-License-Identifier: Apache-2.0
// A level: workgroups reserve room for the children of 256 at once. Lists are as long as they have to be.
#include "burst.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments {
    Words sums;
    Words from;
    Words to;
    Words counters;  // of each level, 128 bytes apart
    Words nextCounters;
    uint level;
};
shared uint parts[64];
shared uint base;

void main()
{
    const uint all = counters.v[level * 32];
    const uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    for (uint first = gl_WorkGroupID.x * 256; first < all; first += gl_NumWorkGroups.x * 256) {
        const bool works = first + lane < all;
        const uint seed = works ? from.v[first + lane] : 0;
        if (works) {
            atomicAdd(sums.v[(seed & (PLACES - 1)) * 2], 1);
            atomicAdd(sums.v[(seed & (PLACES - 1)) * 2 + 1], mix32(seed + level));
        }
        if (level == DEPTH) {
            continue;
        }
        const uint count = works ? childrenOf(seed) : 0;
        uint end = subgroupInclusiveAdd(count);
        if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
            parts[gl_SubgroupID] = end;
        }
        barrier();
        for (uint i = 0; i < gl_SubgroupID; ++i) {
            end += parts[i];
        }
        if (lane == 255) {
            base = atomicAdd(counters.v[(level + 1) * 32], end);
        }
        barrier();
        for (uint i = 0; i < count; ++i) {
            to.v[base + end - count + i] = childOf(seed, i);
        }
    }
    if (level == DEPTH && gl_GlobalInvocationID.x < DEPTH) {
        nextCounters.v[(gl_GlobalInvocationID.x + 1) * 32] = 0;
    }
}

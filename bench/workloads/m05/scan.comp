#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// SPDX-License-Identifier: Apache-2.0
// Adds up the grids of a block of 1024 hands.
#include "arguments.glsl"
layout(local_size_x = 256) in;
shared uint sums[64];

void main()
{
    const uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uint at = gl_WorkGroupID.x * 1024 + 4 * lane;
    uvec4 mine = uvec4(0);
    for (uint i = 0; i < 4; ++i) {
        mine[i] = at + i < HANDS ? table.v[at + i].x : 0;
    }
    const uint all = mine.x + mine.y + mine.z + mine.w;
    uint sum = subgroupInclusiveAdd(all);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
        sums[gl_SubgroupID] = sum;
    }
    barrier();
    for (uint i = 0; i < gl_SubgroupID; ++i) {
        sum += sums[i];
    }
    if (lane == 255) {
        blocks.v[gl_WorkGroupID.x] = sum;
    }
    sum -= all;
    for (uint i = 0; i < 4; ++i) {
        if (at + i < HANDS) {
            before.v[at + i] = sum;
        }
        sum += mine[i];
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// SPDX-License-Identifier: Apache-2.0
// Sixteen workgroups' work in one: it looks for the hand of the first and walks on from there. 256 blocks at most.
#include "arguments.glsl"
layout(local_size_x = 64) in;
const uint kBlocks = (HANDS + 1023) / 1024;
const uint kPacked = 16;
shared uint firsts[kBlocks + 1];  // workgroups before each block
shared uint sums[64];
shared uint found;

void addBlocks()
{
    const uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    uvec4 mine = uvec4(0);
    for (uint i = 0; i < 4; ++i) {
        mine[i] = 4 * lane + i < kBlocks ? blocks.v[4 * lane + i] : 0;
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
    sum -= all;
    for (uint i = 0; i < 4; ++i) {
        if (4 * lane + i <= kBlocks) {
            firsts[4 * lane + i] = sum;
        }
        sum += mine[i];
    }
    barrier();
}

uint find(uint workgroup)
{
    uint low = 0;
    uint length = kBlocks;
    while (length > 1) {
        const uint part = length / 2;
        const bool above = firsts[low + part] <= workgroup;
        low += above ? part : 0;
        length = above ? length - part : part;
    }
    const uint rest = workgroup - firsts[low];
    low *= 1024;
    length = min(1024, HANDS - low);
    while (length > 1) {
        const uint part = length / 2;
        const bool above = before.v[low + part] <= rest;
        low += above ? part : 0;
        length = above ? length - part : part;
    }
    return low;
}

void main()
{
    addBlocks();
    const uint start = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kPacked;
    if (start >= groups) {
        return;
    }
    const uint lane = gl_LocalInvocationIndex;
    if (lane == 0) {
        found = find(start);
    }
    barrier();
    uint index = found;
    uint first = firsts[index / 1024] + before.v[index];
    uint end = first + table.v[index].x;
    for (uint workgroup = start; workgroup < min(start + kPacked, groups); ++workgroup) {
        while (workgroup >= end) {
            ++index;
            first = end;
            end += table.v[index].x;
        }
        results.v[workgroup * 64 + lane] = resultOf(index, workgroup - first, lane);
    }
}

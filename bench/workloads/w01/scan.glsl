// SPDX-License-Identifier: Apache-2.0
// Every workgroup adds up the counters of all nodes for itself, which saves a dispatch and a barrier.
#extension GL_KHR_shader_subgroup_arithmetic : require
shared uvec2 before[129];  // payloads and workgroups of the nodes before; the last for all
shared uvec2 subgroupSums[64];

void scanCounters()
{
    const uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uint count = lane < MATERIALS ? counters.v[lane * kStride] : 0;
    const uvec2 mine = uvec2(count, (count + 255) / 256);
    uvec2 sum = subgroupInclusiveAdd(mine);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
        subgroupSums[gl_SubgroupID] = sum;
    }
    barrier();
    for (uint i = 0; i < gl_SubgroupID; ++i) {
        sum += subgroupSums[i];
    }
    if (lane < 128) {
        before[lane] = sum - mine;
    }
    if (lane == 127) {
        before[128] = sum;
    }
    barrier();
}

// The node whose workgroup this is.
uint nodeOf(uint workgroup)
{
    uint low = 0;
    uint length = MATERIALS;
    while (length > 1) {
        const uint half_ = length / 2;
        if (before[low + half_].y <= workgroup) {
            low += half_;
            length -= half_;
        } else {
            length = half_;
        }
    }
    return low;
}

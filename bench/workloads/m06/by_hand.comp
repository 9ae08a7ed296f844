#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
// SPDX-License-Identifier: Apache-2.0
// One list; four payloads' worth of invocations reserve together. The last pass (COLLECT) knows how many there are.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments {
    Words results;
    Pairs list;
    Words counter;
    Words nextCounter;
    uint places;
    uint count;
};

#ifdef COLLECT
void main()
{
    const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
    if (i < count) {
        const uvec2 item = list.v[i];
        results.v[item.x] = item.y;
    }
    if (i == 0) {
        nextCounter.v[0] = 0;
    }
}
#else
shared uint all;
shared uint base;
const uint kEach = 4;

void main()
{
    if (gl_LocalInvocationIndex == 0) {
        all = 0;
    }
    barrier();
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 * kEach + gl_LocalInvocationIndex;
    uint rank[kEach];
    for (uint i = 0; i < kEach; ++i) {
        const uint place = first + 256 * i;
        const bool sends = place < places && mix32(place) % SPARSE == 0;
        const uvec4 together = subgroupBallot(sends);
        uint start = 0;
        if (subgroupElect()) {
            start = atomicAdd(all, subgroupBallotBitCount(together));
        }
        start = subgroupBroadcastFirst(start);
        rank[i] = sends ? start + subgroupBallotExclusiveBitCount(together) : ~0u;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        base = all == 0 ? 0 : atomicAdd(counter.v[0], all);
    }
    barrier();
    for (uint i = 0; i < kEach; ++i) {
        const uint place = first + 256 * i;
        if (rank[i] != ~0u) {
            list.v[base + rank[i]] = uvec2(place, mix32(place + 1));
        }
    }
}
#endif

#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 64) in;

void main()
{
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 * EACH + gl_LocalInvocationIndex;
    const uvec4 together = subgroupBallot(true);
    const uint all = subgroupBallotBitCount(together) * EACH;
    uint place = 0;
    if (subgroupElect()) {
        place = atomicAdd(extra.v[kPool], all);
        const uint entry = atomicAdd(extra.v[kEntries], 1);
        const uint rank = atomicAdd(extra.v[kCount], all);
        extra.v[ENTRIES_AT + 2 * entry] = place | (all & 255) << 24;
        extra.v[ENTRIES_AT + 2 * entry + 1] = rank;
    }
    place = subgroupBroadcastFirst(place) + subgroupBallotExclusiveBitCount(together) * EACH;
    for (uint i = 0; i < EACH; ++i) {
        for (uint j = 0; j < WORDS; ++j) {
            records.v[PLACE(place + i, j)] = wordOf(first + 64 * i, j);
        }
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 8, local_size_y = 8) in;

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    bool todo = at.x < WIDTH && at.y < HEIGHT;
    const uint material = todo ? materials.v[at.y * WIDTH + at.x] : 0;
    while (todo) {
        const uint current = subgroupBroadcastFirst(material);
        if (material == current) {
            const uvec4 together = subgroupBallot(true);
            const uint count = subgroupBallotBitCount(together);
            uint place = 0;
            if (subgroupElect()) {
                place = atomicAdd(extra.v[kPool], count);
                const uint entry = atomicAdd(extra.v[kEntries], 1);
                const uint rank = atomicAdd(extra.v[kCounts + material], count);
                extra.v[kEntriesAt + 2 * entry] = place | count << 24;
                extra.v[kEntriesAt + 2 * entry + 1] = rank | material << 24;
            }
            place = subgroupBroadcastFirst(place);
            payloads.v[place + subgroupBallotExclusiveBitCount(together)] = at;
            todo = false;
        }
    }
}

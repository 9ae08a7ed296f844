#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A queue of known capacity for each node; the host knows even which workgroup of the second pass (GATHER) works for whom.
#include "../buffers.glsl"
layout(push_constant, scalar) uniform Arguments {
    Words keys;
    Words results;
    Pairs queues;
    Pairs firsts;  // place of each node's queue
    Quads work;    // node, first item, items of each workgroup of the second pass
    Words counters;
    Words nextCounters;
};
const uint kStride = 32;

#ifdef GATHER
layout(local_size_x = 256) in;

void main()
{
    const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uvec4 mine = work.v[workgroup];
    if (gl_LocalInvocationIndex < mine.z) {
        const uvec2 item = queues.v[mine.y + gl_LocalInvocationIndex];
        results.v[item.x] = item.y + mine.x;
    }
    const uint i = workgroup * 256 + gl_LocalInvocationIndex;
    if (i < NODES) {
        nextCounters.v[i * kStride] = 0;
    }
}
#else
layout(local_size_x = 16, local_size_y = 16) in;
shared uint histogram[NODES];
shared uint base[NODES];
const uint kTiles = 4;

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    for (uint i = lane; i < NODES; i += 256) {
        histogram[i] = 0;
    }
    barrier();
    uint key[kTiles];
    uint rank[kTiles];
    const uint first = (gl_WorkGroupID.y * 16 + gl_LocalInvocationID.y) * WIDTH + gl_WorkGroupID.x * 64 +
                       gl_LocalInvocationID.x;
    for (uint i = 0; i < kTiles; ++i) {
        key[i] = keys.v[first + 16 * i];
        rank[i] = atomicAdd(histogram[key[i]], 1);
    }
    barrier();
    for (uint i = lane; i < NODES; i += 256) {
        if (histogram[i] != 0) {
            base[i] = firsts.v[i].x + atomicAdd(counters.v[i * kStride], histogram[i]);
        }
    }
    barrier();
    for (uint i = 0; i < kTiles; ++i) {
        const uint place = first + 16 * i;
        queues.v[base[key[i]] + rank[i]] = uvec2(place, mix32(place));
    }
}
#endif

#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// SPDX-License-Identifier: Apache-2.0
// A level of the tree for all queries, the last together with the leaves; or one query in each invocation (STACK).
#include "tree.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments {
    Words hits;
    Pairs from;
    Pairs to;
    Words counters;  // of each level, 128 bytes apart; that of the root is never used
    Words nextCounters;
    uint level;
};
shared uint parts[64];
shared uint base;

#ifdef STACK
void main()
{
    const uint query = gl_GlobalInvocationID.x;
    if (query >= QUERIES) {
        return;
    }
    const uvec2 at = queryAt(query);
    uint nodes[4 * DEPTH];
    uint levels[4 * DEPTH];
    nodes[0] = 0;
    levels[0] = 0;
    uint size = 1;
    uint sum = 0;
    while (size > 0) {
        --size;
        const uint node = nodes[size];
        const uint depth = levels[size];
        if (depth == DEPTH) {
            sum += hitOf(node, query);
            continue;
        }
        for (uint bits = childrenOf(node, depth, at); bits != 0; bits &= bits - 1) {
            nodes[size] = childOf(node, findLSB(bits));
            levels[size] = depth + 1;
            ++size;
        }
    }
    hits.v[query] = sum;
}
#else
void main()
{
    const uint all = level == 0 ? QUERIES : counters.v[level * 32];
    const uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    for (uint first = gl_WorkGroupID.x * 256; first < all; first += gl_NumWorkGroups.x * 256) {
        const bool works = first + lane < all;
        const uvec2 visit = !works ? uvec2(0) : level == 0 ? uvec2(0, first + lane) : from.v[first + lane];
        uint bits = works ? childrenOf(visit.x, level, queryAt(visit.y)) : 0;
        if (level == DEPTH - 1) {
            uint sum = 0;
            for (; bits != 0; bits &= bits - 1) {
                sum += hitOf(childOf(visit.x, findLSB(bits)), visit.y);
            }
            if (works) {
                atomicAdd(hits.v[visit.y], sum);
            }
            continue;
        }
        const uint count = bitCount(bits);
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
        for (uint at = base + end - count; bits != 0; bits &= bits - 1) {
            to.v[at++] = uvec2(childOf(visit.x, findLSB(bits)), visit.y);
        }
    }
    if (level == DEPTH - 1 && gl_GlobalInvocationID.x < DEPTH) {
        nextCounters.v[gl_GlobalInvocationID.x * 32] = 0;
    }
}
#endif

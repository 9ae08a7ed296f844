#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Counts itself and sends what its seed says, until no recursion is left.
#include "burst.glsl"
layout(name = "burst", coalescing, recursion = DEPTH) node;
layout(local_size_x = 1) in;

struct Burst {
    uint seed;
    uint level;
    uint padding[2];
};
nodein Burst burst[1];
layout(node = "burst") nodeout Burst next[8];

layout(push_constant, scalar) uniform Arguments { Words sums; };

void main()
{
    const uint seed = burst[0].seed;
    const uint level = burst[0].level;
    atomicAdd(sums.v[(seed & (PLACES - 1)) * 2], 1);
    atomicAdd(sums.v[(seed & (PLACES - 1)) * 2 + 1], mix32(seed + level));
    if (remainingRecursion() == 0) {
        return;
    }
    const uint count = childrenOf(seed);
    allocateInvocation(next, count);
    for (uint i = 0; i < count; ++i) {
        next[i].seed = childOf(seed, i);
        next[i].level = level + 1;
    }
    enqueue(next);
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
layout(name = "recursive", coalescing, recursion = 6, api_entry = false) node;
layout(local_size_x = 1) in;

struct Place {
    uint place;
};
nodein Place place[1];
layout(node = "recursive") nodeout Place next[2];

layout(push_constant, scalar) uniform Arguments { Words sums; };

void main()
{
    const uint at = place[0].place;
    const uint left = remainingRecursion();
    atomicAdd(sums.v[at], left + 1);
    if (left > 0) {
        allocateInvocation(next, 2);
        next[0].place = at + 1;
        next[1].place = at + 2;
        enqueue(next);
    }
}

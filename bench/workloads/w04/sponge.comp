#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "sponge", coalescing, recursion = SPONGE_DEPTH, api_entry = false) node;
layout(local_size_x = 1) in;

nodein Box box[1];
layout(node = "sponge") nodeout Box next[8];

void main()
{
    const ivec2 corner = box[0].corner;
    const int third = box[0].size / 3;
    const uint path = box[0].path;
    if (remainingRecursion() == 0) {
        squares.v[path] = uvec2(corner);
        return;
    }
    allocateInvocation(next, 8);
    for (uint i = 0; i < 8; ++i) {
        next[i].corner = corner + third * cornerOf(i);
        next[i].size = third;
        next[i].path = 8 * path + i;
    }
    enqueue(next);
}

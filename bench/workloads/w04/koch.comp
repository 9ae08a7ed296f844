#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "koch", coalescing, recursion = KOCH_DEPTH, api_entry = false) node;
layout(local_size_x = 1) in;

nodein Line line[1];
layout(node = "koch") nodeout Line next[4];

void main()
{
    const ivec4 ends = line[0].ends;
    const uint path = line[0].path;
    if (remainingRecursion() == 0) {
        segments.v[path] = uvec4(ends);
        return;
    }
    ivec2 corners[5];
    bend(ends, corners);
    allocateInvocation(next, 4);
    for (uint i = 0; i < 4; ++i) {
        next[i].ends = ivec4(corners[i], corners[i + 1]);
        next[i].path = 4 * path + i;
    }
    enqueue(next);
}

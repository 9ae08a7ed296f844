#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "visit", coalescing, recursion = DEPTH - 1, api_entry = false) node;
layout(local_size_x = 1) in;

nodein Visit visit[1];
layout(node = "visit") nodeout Visit children[4];
layout(node = "leaf") nodeout Leaf leaves[4];

void main()
{
    const uint query = visit[0].query;
    const uint node_ = visit[0].node;
    const uint at = visit[0].at;
    const uint left = remainingRecursion();
    uint bits = childrenOf(node_, DEPTH - 1 - left, uvec2(at & 0xffff, at >> 16));
    const uint count = bitCount(bits);
    if (left == 0) {
        allocateInvocation(leaves, count);
        for (uint i = 0; i < count; ++i) {
            const uint child = findLSB(bits);
            bits &= bits - 1;
            leaves[i].node = childOf(node_, child);
            leaves[i].query = query;
        }
        enqueue(leaves);
        return;
    }
    allocateInvocation(children, count);
    for (uint i = 0; i < count; ++i) {
        const uint child = findLSB(bits);
        bits &= bits - 1;
        children[i].node = childOf(node_, child);
        children[i].query = query;
        children[i].at = at;
    }
    enqueue(children);
}

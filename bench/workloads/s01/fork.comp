#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A single-invocation node that sends two payloads to itself until no recursion is left: 2^DEPTH leaves for each input.
#include "../buffers.glsl"
layout(constant_id = 0) const uint DEPTH = 7;
layout(name = "fork", coalescing, recursion = DEPTH) node;
layout(local_size_x = 1) in;

struct Branch {
    uint depth;
    uint path;
};
nodein Branch branch[1];
layout(node = "fork") nodeout Branch next[2];

layout(push_constant, scalar) uniform Arguments { Words leaves; };

void main()
{
    const uint depth = branch[0].depth;
    const uint path = branch[0].path;
    if (remainingRecursion() == 0) {
        leaves.v[path] = path ^ 0x5a5au;
        return;
    }
    allocateInvocation(next, 2);
    next[0].depth = depth + 1;
    next[0].path = 2 * path;
    next[1].depth = depth + 1;
    next[1].path = 2 * path + 1;
    enqueue(next);
}

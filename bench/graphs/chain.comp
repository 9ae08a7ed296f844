#version 460
// SPDX-License-Identifier: Apache-2.0
// A chain of levels, each with a workgroup for each input: what a level costs.
layout(constant_id = 0) const uint DEPTH = 7;
layout(name = "chain", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 64) in;

struct Link {
    uint level;
};
nodein Link link;
layout(node = "chain") nodeout Link next[1];

layout(set = 0, binding = 0, scalar) buffer Output { uint sum; };

void main()
{
    if (remainingRecursion() == 0) {
        if (gl_LocalInvocationIndex == 0) {
            atomicAdd(sum, link.level + 1);
        }
        return;
    }
    allocateWorkgroup(next, 1);
    if (gl_LocalInvocationIndex == 0) {
        next[0].level = link.level + 1;
    }
    enqueue(next);
}

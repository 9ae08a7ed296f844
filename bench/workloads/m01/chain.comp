#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A workgroup for each link, which sends one link to the next level.
#include "link.glsl"
layout(constant_id = 0) const uint DEPTH = 7;
layout(name = "chain", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 64) in;

struct Link {
    uint place;
    uint value;
};
nodein Link link;
layout(node = "chain") nodeout Link next[1];

layout(push_constant, scalar) uniform Arguments { Words results; };

void main()
{
    const uint value = nextValue(link.value);
    if (remainingRecursion() == 0) {
        if (gl_LocalInvocationIndex == 0) {
            results.v[link.place] = value;
        }
        return;
    }
    allocateWorkgroup(next, 1);
    if (gl_LocalInvocationIndex == 0) {
        next[0].place = link.place;
        next[0].value = value;
    }
    enqueue(next);
}

// SPDX-License-Identifier: Apache-2.0
// By hand: lists the workgroups of indirect commands whose count the device has. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(local_size_x = 64) in;

void main()
{
    uint at = 0u;
    uint draws = frame.count.v[0];
    for (uint draw = 0u; draw < draws; ++draw) {
        uint groups = frame.commands.v[3u * draw];
        for (uint i = gl_LocalInvocationIndex; i < groups; i += 64u)
            frame.items.v[at + i] = Item(itemOf(draw + i, 0u), 4u * (at + i), 2u * (at + i));
        at += groups;
    }
    if (gl_LocalInvocationIndex == 0u) {
        frame.counts.v.items = at;
        frame.counts.v.indices = 6u * at;
        frame.counts.v.vertices = 4u * at;
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Sends a payload that wants a grid of its own for each entry of a table.
#include "hand.glsl"
layout(name = "deal", static_grid = uvec3((HANDS + 63) / 64, 1, 1)) node;
layout(local_size_x = 64) in;

layout(node = "play") nodeout Hand hands[64];

layout(push_constant, scalar) uniform Arguments { Words results; Pairs table; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const bool inside = i < HANDS;
    allocateInvocation(hands, inside ? 1 : 0);
    if (inside) {
        const uvec2 entry = table.v[i];
#ifndef FIXED
        hands[0].groups = entry.x;
#endif
        hands[0].first = entry.y;
        hands[0].index = i;
    }
    enqueue(hands);
}

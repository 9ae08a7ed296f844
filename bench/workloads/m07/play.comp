#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "body.glsl"
layout(name = "play", max_grid = uvec3(MAX, 1, 1), api_entry = false) node;
layout(local_size_x = SIZE) in;

nodein Hand hand;

layout(push_constant, scalar) uniform Arguments { Words results; Pairs table; uint rounds; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint workgroup = gl_WorkGroupID.x;
    results.v[(hand.first + workgroup) * SIZE + lane] = heavyResult(hand.index, workgroup, lane, rounds);
}

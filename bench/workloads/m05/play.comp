#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "hand.glsl"
#ifdef FIXED
layout(name = "play", static_grid = uvec3(FIXED, 1, 1), api_entry = false) node;
#else
layout(name = "play", max_grid = uvec3(MAX, 1, 1), api_entry = false) node;
#endif
layout(local_size_x = 64) in;

nodein Hand hand;

layout(push_constant, scalar) uniform Arguments { Words results; Pairs table; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint workgroup = gl_WorkGroupID.x;
    results.v[(hand.first + workgroup) * 64 + lane] = resultOf(hand.index, workgroup, lane);
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Writes the arguments of one indirect dispatch of many, whose others stay at 0 groups.
#include "../buffers.glsl"
layout(local_size_x = 32) in;
layout(push_constant, scalar) uniform Arguments { Words results; Words grids; Words payload; uint node; uint value; };

void main()
{
    if (gl_LocalInvocationIndex < 3) {
        grids.v[4 * node + gl_LocalInvocationIndex] = 1;
    }
    if (gl_LocalInvocationIndex == 0) {
        payload.v[0] = value;
        payload.v[1] = node;
    }
}

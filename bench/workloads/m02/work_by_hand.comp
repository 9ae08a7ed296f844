#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { Words results; Words grids; Words payload; uint node; uint value; };

void main()
{
#ifdef ONE
    const uint index = payload.v[1];
#else
    const uint index = node + VARIANT - VARIANT;
#endif
    results.v[gl_LocalInvocationIndex] = mix32(payload.v[0] + gl_LocalInvocationIndex) + index;
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Copies 16 bytes at a time.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Quads from; Quads to; uint count; };

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * 256) {
        to.v[i] = from.v[i];
    }
}

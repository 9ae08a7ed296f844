#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Arithmetic that takes a known number of cycles, and no memory: its time says how high the clocks are.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Words result; uint rounds; };

void main()
{
    uint x = gl_GlobalInvocationID.x;
    for (uint i = 0; i < rounds; ++i) {
        x = x * 1664525u + 1013904223u;
    }
    if (x == 0x12345678u) {
        result.v[0] = x;
    }
}

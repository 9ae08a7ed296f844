#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Counts words that are not as expected, and finds the first of them.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Result { uint wrong; uint first; };
layout(push_constant, scalar) uniform Arguments { Words got; Words expected; Result result; uint count; };

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * 256) {
        if (got.v[i] != expected.v[i]) {
            atomicAdd(result.wrong, 1);
            atomicMin(result.first, i);
        }
    }
}

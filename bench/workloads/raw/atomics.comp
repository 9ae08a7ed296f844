#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One invocation in 32 adds to one of `addresses` words. The sum in the end is known.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Words counters; uint addresses; uint each; };

void main()
{
    if (gl_LocalInvocationIndex % 32 == 0) {
        const uint at = gl_GlobalInvocationID.x / 32 % addresses;
        for (uint i = 0; i < each; ++i) {
            atomicAdd(counters.v[at * 32], 1);
        }
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Counts without an atomic, so that a barrier that does not work shows.
#include "../buffers.glsl"
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { Words counter; };

void main()
{
    if (gl_WorkGroupID.x == 0 && gl_LocalInvocationIndex == 0) {
        counter.v[0] = counter.v[0] + 1;
    }
}

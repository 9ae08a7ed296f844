#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One of the 14: as many invocations as there are payloads.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Words counts; uint place; uint count; };

void main()
{
    if ((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex < count) {
        atomicAdd(counts.v[place], 1);
    }
}

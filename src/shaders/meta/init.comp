// SPDX-License-Identifier: Apache-2.0
// vkCmdInitializeGraphScratchMemoryAMDX: copies the static tables to the scratch memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/graph.glsl"

layout(local_size_x = MR_INVOCATIONS) in;
layout(push_constant, scalar) uniform Arguments { InitArguments a; };

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < a.wordCount; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
        Words(a.destination).v[i] = Words(a.source).v[i];
}

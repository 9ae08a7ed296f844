#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A workgroup for each, where somebody else has written down for which hand it is.
#include "arguments.glsl"
layout(local_size_x = 64) in;

void main()
{
    const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (workgroup < groups) {
        const uint index = blocks.v[workgroup];
        const uint lane = gl_LocalInvocationIndex;
        results.v[workgroup * 64 + lane] = resultOf(index, workgroup - table.v[index].y, lane);
    }
}

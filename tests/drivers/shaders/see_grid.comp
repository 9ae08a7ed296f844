// SPDX-License-Identifier: Apache-2.0
// Each workgroup says that it ran, and what it saw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "num_workgroups.glsl"

layout(local_size_x = 1) in;

void main()
{
    uint first = (run.v[0] - 1u) * kWords;
    atomicAdd(result.v[first + 1u], 1u);
    atomicMax(result.v[first + 2u], gl_NumWorkGroups.x);
    atomicMin(result.v[first + 3u], gl_NumWorkGroups.x);
}

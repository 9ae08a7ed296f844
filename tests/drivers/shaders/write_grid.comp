// SPDX-License-Identifier: Apache-2.0
// Begins a run: another number of workgroups each time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "num_workgroups.glsl"

layout(local_size_x = 1) in;

void main()
{
    uint number = run.v[0]++;
    uint groups = number * 37u % 61u + 1u;
    grid.v[0] = groups;
    grid.v[1] = 1u;
    grid.v[2] = 1u;
    result.v[number * kWords] = groups;
    result.v[number * kWords + 3u] = ~0u;
}

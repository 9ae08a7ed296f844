#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A payload for each invocation, which workgroups allocate together, so that what becomes of it cannot run here
// (docs/fusion.md).
#include "../buffers.glsl"
layout(name = "spread", static_grid = uvec3(GRID_X, GRID_Y, 1)) node;
layout(local_size_x = 64) in;

struct Item {
    uint id;
};
layout(node = "single") nodeout Item items[64];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    allocateWorkgroup(items, 64);
    items[lane].id = (gl_WorkGroupID.y * GRID_X + gl_WorkGroupID.x) * 64 + lane;
    enqueue(items);
}

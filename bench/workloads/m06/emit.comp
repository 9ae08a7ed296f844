#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Some invocations send a payload: one in SPARSE, in workgroups of SIZE.
#include "../buffers.glsl"
layout(name = "emit", static_grid = uvec3(GRID_X, GRID_Y, 1)) node;
layout(local_size_x = SIZE) in;

struct Item {
    uint place;
    uint value;
};
layout(node = "collect") nodeout Item items[SIZE];

void main()
{
    const uint place = (gl_WorkGroupID.y * GRID_X + gl_WorkGroupID.x) * SIZE + gl_LocalInvocationIndex;
    const bool sends = mix32(place) % SPARSE == 0;
    allocateInvocation(items, sends ? 1 : 0);
    if (sends) {
        items[0].place = place;
        items[0].value = mix32(place + 1);
    }
    enqueue(items);
}

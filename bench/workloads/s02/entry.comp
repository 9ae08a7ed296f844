#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "shape.glsl"
layout(name = "entry", max_grid = uvec3(256, 1, 1)) node;
layout(local_size_x = 8) in;

#ifdef GRIDS
#define EACH 1
struct Item {
    dispatch_grid uint groups;
    uint offset;
    uint increment;
};
#else
#define EACH 8
struct Item {
    uint offset;
    uint increment;
};
#endif
nodein Input given;
layout(node = "add") nodeout Item items[8 * EACH];

void main()
{
    allocateInvocation(items, EACH);
    const uint first = given.offset + gl_GlobalInvocationID.x * 8;
    for (uint i = 0; i < EACH; ++i) {
#ifdef GRIDS
        items[i].groups = given.size;
#endif
        items[i].offset = first + i;
        items[i].increment = given.increment;
    }
    enqueue(items);
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "shape.glsl"
#ifdef GRIDS
layout(name = "add", max_grid = uvec3(1024, 1, 1), api_entry = false) node;
layout(local_size_x = 8) in;
struct Item {
    dispatch_grid uint groups;
    uint offset;
    uint increment;
};
nodein Item item;
#else
layout(name = "add", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;
struct Item {
    uint offset;
    uint increment;
};
nodein Item item[1];
#endif

layout(push_constant, scalar) uniform Arguments { Words sums; };

void main()
{
#ifdef GRIDS
    atomicAdd(sums.v[item.offset + gl_GlobalInvocationID.x], item.increment);
#else
    atomicAdd(sums.v[item[0].offset], item[0].increment);
#endif
}

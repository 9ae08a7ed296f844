// SPDX-License-Identifier: Apache-2.0
// By hand: looks at a unit in each invocation, and lists what can be seen, with room for its vertices and triangles.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "scene.glsl"

layout(local_size_x = 64) in;

void main()
{
    uint unit = gl_GlobalInvocationID.x;
    uint items = unit < frame.units ? itemsOf(unit) : 0u;
    uvec3 own = items > 0u ? uvec3(items, items * sizeOf(itemOf(unit, 0u))) : uvec3(0u);
    uvec3 before = subgroupExclusiveAdd(own);
    uvec3 all = subgroupAdd(own);
    uvec3 begin = uvec3(0u);
    if (subgroupElect() && all.x > 0u) {
        begin.x = atomicAdd(frame.counts.v.items, all.x);
        begin.y = atomicAdd(frame.counts.v.vertices, all.y);
        begin.z = atomicAdd(frame.counts.v.indices, 3u * all.z) / 3u;
    }
    begin = subgroupBroadcastFirst(begin) + before;
    for (uint i = 0u; i < items; ++i) {
        uvec2 place = begin.yz + i * own.yz / items;
        frame.items.v[begin.x + i] = Item(itemOf(unit, i), place.x, place.y);
    }
}

// SPDX-License-Identifier: Apache-2.0
// By hand: a workgroup writes the vertices and indices of an item of the list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(local_size_x = 64) in;

void main()
{
    Item own = frame.items.v[gl_WorkGroupID.x];
    uvec2 size = sizeOf(own.item);
    for (uint i = gl_LocalInvocationIndex; i < size.x; i += 64u)
        frame.vertices.v[own.firstVertex + i] = vertexOf(own.item, i);
    for (uint i = gl_LocalInvocationIndex; i < size.y; i += 64u) {
        uvec3 corners = own.firstVertex + triangleOf(own.item, i);
        uint at = 3u * (own.firstPrimitive + i);
        frame.indices.v[at] = corners.x;
        frame.indices.v[at + 1u] = corners.y;
        frame.indices.v[at + 2u] = corners.z;
    }
}

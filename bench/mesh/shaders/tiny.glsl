// SPDX-License-Identifier: Apache-2.0
// Small squares in rows: a unit, a draw of one workgroup, is a square of two pixels.
#include "frame.glsl"

uint itemsOf(uint unit)
{
    return 1u;
}

uint itemOf(uint unit, uint part)
{
    return unit;
}

// Vertices and triangles.
uvec2 sizeOf(uint item)
{
    return uvec2(4u, 2u);
}

Vertex vertexOf(uint item, uint i)
{
    uvec2 corner = uvec2(item % frame.columns, item / frame.columns) * 4u + uvec2(i % 2u, i / 2u) * 2u;
    precise vec2 place = vec2(corner) * frame.pixel - 1.0;
    return Vertex(vec4(place, 0.5, 1.0), 0.5 + 0.5 * unpackUnorm4x8(hashed(item)).xyz);
}

uvec3 triangleOf(uint item, uint i)
{
    return i == 0u ? uvec3(0u, 1u, 2u) : uvec3(2u, 1u, 3u);
}

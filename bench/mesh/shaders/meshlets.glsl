// SPDX-License-Identifier: Apache-2.0
// Many instances of an object of meshlets. A unit is a meshlet of an instance, and so is an item.
#include "frame.glsl"

vec3 turned(Instance object, vec3 v)
{
    precise vec3 result =
        vec3(object.turn.x * v.x - object.turn.y * v.z, v.y, object.turn.y * v.x + object.turn.x * v.z);
    return result;
}

vec3 placed(Instance object, vec3 v)
{
    precise vec3 place = object.place + object.scale * turned(object, v);
    return place;
}

// Workgroups that it takes: none where it cannot be seen.
uint itemsOf(uint unit)
{
    Instance object = frame.objects.v[unit / frame.perObject];
    Meshlet meshlet = frame.meshlets.v[unit % frame.perObject];
    vec3 center = placed(object, meshlet.center);
    float radius = object.scale * meshlet.radius;
    vec3 way = center - frame.eye;
    float away = length(way);
    if (!isInside(center, radius) || away - radius > frame.farthest)
        return 0u;
    return dot(way, turned(object, meshlet.axis)) >= meshlet.cutoff * away + radius ? 0u : 1u;
}

uint itemOf(uint unit, uint part)
{
    return unit;
}

// Vertices and triangles.
uvec2 sizeOf(uint item)
{
    Meshlet meshlet = frame.meshlets.v[item % frame.perObject];
    return uvec2(meshlet.vertices, meshlet.triangles);
}

Vertex vertexOf(uint item, uint i)
{
    Instance object = frame.objects.v[item / frame.perObject];
    Corner corner = frame.corners.v[frame.meshlets.v[item % frame.perObject].firstVertex + i];
    vec3 normal = turned(object, unpackSnorm4x8(corner.normal).xyz);
    float light = 0.25 + 0.75 * max(dot(normal, vec3(0.48, 0.64, -0.6)), 0.0);
    vec3 tint = 0.5 + 0.5 * unpackUnorm4x8(hashed(item)).xyz;
    return Vertex(projected(placed(object, corner.place)), light * tint);
}

uvec3 triangleOf(uint item, uint i)
{
    uint packed = frame.triangles.v[frame.meshlets.v[item % frame.perObject].firstTriangle + i];
    return uvec3(packed, packed >> 8u, packed >> 16u) & 0xffu;
}

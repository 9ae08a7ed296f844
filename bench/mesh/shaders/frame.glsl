// SPDX-License-Identifier: Apache-2.0
// What all shaders of the scenes share: what a frame is drawn from, as bench/mesh/frame.h has it, and what a vertex is.
#ifndef MR_FRAME_GLSL
#define MR_FRAME_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

// A vertex as a shader gives it out: a place in clip space, and a color.
struct Vertex {
    vec4 position;
    vec3 color;
};

struct Meshlet {
    vec3 center;  // of a sphere around it
    float radius;
    vec3 axis;     // of the cone of its normals
    float cutoff;  // it is seen from behind where dot(way, axis) >= cutoff * length(way) + radius
    uint firstVertex;
    uint vertices;
    uint firstTriangle;
    uint triangles;
};

struct Corner {
    vec3 place;
    uint normal;  // three components of 8 bits
};

struct Instance {
    vec3 place;
    float scale;
    vec2 turn;  // cosine and sine, around y
};

// What a kernel found, for the one that writes vertices.
struct Item {
    uint item;
    uint firstVertex;
    uint firstPrimitive;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Meshlets { Meshlet v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Corners { Corner v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Instances { Instance v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Vertices { Vertex v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Items { Item v[]; };

// What programs by hand count: the indirect commands that follow from it.
struct Counts {
    uint items;  // VkDispatchIndirectCommand, and likewise a grid of workgroups of a mesh shader
    uint one;
    uint alsoOne;
    uint indices;  // VkDrawIndexedIndirectCommand
    uint instances;
    uint firstIndex;
    int vertexOffset;
    uint firstInstance;
    uint vertices;
    uint tiles;  // payloads and draws of them
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer CountsOfAll { Counts v; };

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Frame {
    mat4 project;
    vec4 planes[5];  // dot(plane, vec4(place, 1)) is the way to it, negative outside
    vec3 eye;
    float farthest;
    uint units;      // that become workgroups: meshlets, patches of grass, draws
    uint perObject;  // meshlets
    uint side;       // of the field, in tiles
    uint columns;    // of small pictures
    vec2 pixel;      // half of the picture in pixels, the other way around
    float nearDetail;
    float middleDetail;
    Meshlets meshlets;
    Corners corners;
    Words triangles;  // three indices of 8 bits each
    Instances objects;
    Words commands;  // VkDrawMeshTasksIndirectCommandEXT
    Words count;
    CountsOfAll counts;  // by hand, as what follows
    Items items;
    Vertices vertices;
    Words indices;
    Words draws;
    Words tiles;
};

layout(push_constant, scalar) uniform Push {
    Frame frame;
    uint first;  // number of a draw
};

uint hashed(uint x)
{
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return (x >> 22u) ^ x;
}

// From 0 to 1.
float random(uint seed)
{
    return float(hashed(seed) >> 8u) / 16777216.0;
}

bool isInside(vec3 center, float radius)
{
    bool inside = true;
    for (uint i = 0u; i < 5u; ++i) {
        precise float away = dot(frame.planes[i].xyz, center) + frame.planes[i].w;
        inside = inside && away > -radius;
    }
    return inside;
}

vec4 projected(vec3 place)
{
    precise vec4 position = frame.project * vec4(place, 1.0);
    return position;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// An invocation for each place where a tree may be: those that are there, and seen, become a sequence.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#include "tree.glsl"

layout(local_size_x = 64) in;

struct Record {
    uint pipeline;  // of the execution set
    Tree tree;      // push constants
    uint vertexCount, instanceCount, firstVertex, firstInstance;
};
layout(buffer_reference, std430) buffer Records { Record v[]; };
layout(buffer_reference, std430) buffer Count { uint v; };
layout(push_constant) uniform Push { Records records; Count count; };

const uint kSide = 128u;

// Smooth, with hills some `scale` places apart.
float noise(const vec2 place, const float scale, const uint seed)
{
    vec2 at = place / scale;
    uvec2 corner = uvec2(floor(at));
    vec2 part = smoothstep(0.0, 1.0, fract(at));
    float corners[4];
    for (uint i = 0u; i < 4u; ++i)
        corners[i] = random(seed + corner.x + (i & 1u) + 4096u * (corner.y + (i >> 1)));
    return mix(mix(corners[0], corners[1], part.x), mix(corners[2], corners[3], part.x), part.y);
}

void main()
{
    uint number = gl_GlobalInvocationID.x;
    vec2 cell = vec2(number % kSide, number / kSide);
    cell += vec2(random(2u * number), random(2u * number + 1u));
    Tree tree;
    tree.place = vec2((cell.x - 0.5 * float(kSide)) * 0.9, 5.0 + 0.8 * cell.y);
    tree.size = 2.5 + 3.5 * random(number + 77777u);
    tree.seed = number;
    bool isClearing = noise(cell, 9.0, 5u) + 0.25 * random(number + 99999u) < 0.66;
    bool isSeen = abs(tree.place.x) < 1.1 * tree.place.y + tree.size;
    if (isClearing || !isSeen || number >= kSide * kSide)
        return;
    uint kind = noise(cell, 7.0, 9u) < 0.5 ? kFir : kBroadleaf;
    // Far trees have fewer parts.
    uint parts = uint(clamp(160.0 / tree.place.y, 5.0, 16.0));
    uint slot = atomicAdd(count.v, 1u);
    records.v[slot] = Record(kind, tree, 6u + parts * (kind == kFir ? 6u : 3u), 1u, 0u, 0u);
}

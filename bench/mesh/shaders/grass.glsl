// SPDX-License-Identifier: Apache-2.0
// A field of grass in patches of one meter: a unit is a patch, 64 of them in a row are a tile of 8 by 8. Near ones have
// more blades, of more vertices, in several workgroups.
#include "frame.glsl"

const uint kPartShift = 24u;
const uint kDetailShift = 28u;

// By detail, the nearest first.
const uint kItems[3] = uint[](4u, 2u, 1u);
const uint kBlades[3] = uint[](8u, 12u, 20u);
const uint kVertices[3] = uint[](7u, 5u, 3u);

vec3 cornerOf(uint patch_)
{
    uint tile = patch_ / 64u;
    uint own = patch_ % 64u;
    uvec2 at = uvec2(tile % frame.side, tile / frame.side) * 8u + uvec2(own % 8u, own / 8u);
    return vec3(float(at.x), 0.0, float(at.y));
}

float heightOf(vec2 place)
{
    precise vec2 way = (place - frame.eye.xz) / 64.0;
    precise float height = -0.25 * dot(way, way);
    return height;
}

uint detailOf(uint patch_)
{
    vec3 way = cornerOf(patch_) + 0.5 - frame.eye;
    precise float away2 = dot(way.xz, way.xz);
    return away2 < frame.nearDetail * frame.nearDetail       ? 0u
           : away2 < frame.middleDetail * frame.middleDetail ? 1u
                                                             : 2u;
}

// Workgroups that it takes: none where it cannot be seen.
uint itemsOf(uint unit)
{
    vec3 center = cornerOf(unit) + vec3(0.5, 0.4, 0.5);
    center.y += heightOf(center.xz);
    precise float away2 = dot(center - frame.eye, center - frame.eye);
    if (!isInside(center, 1.3) || away2 > frame.farthest * frame.farthest)
        return 0u;
    return kItems[detailOf(unit)];
}

uint itemOf(uint unit, uint part)
{
    return unit | part << kPartShift | detailOf(unit) << kDetailShift;
}

// Vertices and triangles.
uvec2 sizeOf(uint item)
{
    uint detail = item >> kDetailShift;
    return kBlades[detail] * uvec2(kVertices[detail], kVertices[detail] - 2u);
}

Vertex vertexOf(uint item, uint i)
{
    uint detail = item >> kDetailShift;
    uint blade = i / kVertices[detail];
    uint own = i % kVertices[detail];
    uint patch_ = item & ((1u << kPartShift) - 1u);
    uint seed = hashed(patch_) + hashed(blade + 32u * (item >> kPartShift & 15u) + 4096u * detail);
    precise vec3 foot = cornerOf(patch_) + vec3(random(seed), 0.0, random(seed + 1u));
    foot.y = heightOf(foot.xz);
    float size = 0.35 + 0.55 * random(seed + 2u);
    vec2 turn = vec2(random(seed + 3u), random(seed + 4u)) - 0.5;
    precise vec2 lean = turn * size;
    precise vec2 side = vec2(0.012 + 0.0006 * length(foot - frame.eye)) * normalize(vec2(0.8, turn.x));
    float height = float(own / 2u) / float(kVertices[detail] / 2u);
    float across = own == kVertices[detail] - 1u ? 0.0 : own % 2u == 0u ? -1.0 : 1.0;
    precise vec2 away = lean * (height * height) + side * (across * (1.0 - 0.6 * height));
    precise vec3 place = foot + vec3(away.x, size * height, away.y);
    vec3 tint = mix(vec3(0.10, 0.32, 0.05), vec3(0.50, 0.55, 0.15), random(seed + 5u));
    return Vertex(projected(place), tint * (0.3 + 0.7 * height));
}

uvec3 triangleOf(uint item, uint i)
{
    uint detail = item >> kDetailShift;
    uint each = kVertices[detail] - 2u;
    return i / each * kVertices[detail] + i % each + uvec3(0u, 1u, 2u);
}

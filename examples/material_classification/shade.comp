#version 460
// SPDX-License-Identifier: Apache-2.0
// One node of the array "shade" for each material; the graph has this shader four times, with four indices.
#include "tile.glsl"

layout(name = "shade", static_grid = uvec3(1, 1, 1), api_entry = false) node;
layout(local_size_x = 8, local_size_y = 8) in;

nodein Tile tile;

layout(set = 0, binding = 0, r8ui) readonly uniform uimage2D materials;
layout(set = 0, binding = 1, rgba8ui) writeonly uniform uimage2D picture;
layout(set = 0, binding = 2) buffer Counts { uint tiles[kMaterials]; };

uvec3 shade(uint material, uvec2 at)
{
    switch (material) {
        case 0:
            return uvec3(90 + at.y, 140 + at.y, 230);
        case 1:
            return ((at.x / 8 + at.y / 4) & 1) == 0 ? uvec3(200, 200, 190) : uvec3(70, 70, 80);
        case 2:
            return uvec3(255 - at.x * 2, 40 + (80 - min(at.y, 80)), 40);
        default:
            return (at.y & 7) == 0 || (at.x & 15) == (at.y / 8 & 1) * 8 ? uvec3(90, 60, 50) : uvec3(170, 90, 60);
    }
}

void main()
{
    const uvec2 at = tile.corner + gl_LocalInvocationID.xy;
    if (imageLoad(materials, ivec2(at)).r == shaderIndex()) {
        imageStore(picture, ivec2(at), uvec4(shade(shaderIndex(), at), 255));
    }
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(tiles[shaderIndex()], 1);
    }
}

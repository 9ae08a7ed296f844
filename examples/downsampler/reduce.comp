#version 460
// SPDX-License-Identifier: Apache-2.0
// All levels of a picture in one dispatch. Each workgroup reduces a tile of 16 x 16 pixels to levels 1 to 4; the last one
// to finish, and only finishWriting() knows which that is, reduces what all have left: levels 5 to 7. Levels 1 to 7 of a
// picture of 128 x 128 lie in an atlas of 96 x 64.
layout(name = "reduce", max_grid = uvec3(8, 8, 1), api_entry = false) node;
layout(local_size_x = 8, local_size_y = 8) in;

#include "tiles.glsl"
layout(finish_tracking) nodein Tiles tiles;

layout(set = 0, binding = 0, rgba8ui) readonly uniform uimage2D picture;
layout(set = 0, binding = 1, rgba8ui) writeonly uniform uimage2D atlas;
layout(set = 0, binding = 2) coherent buffer Fourth { uvec4 fourth[64]; };  // level 4, 8 x 8

shared uvec4 texels[8][8];

// The first level is on the left, all others are below each other on the right.
ivec2 placeOf(uint level)
{
    return level == 1 ? ivec2(0, 0) : ivec2(64, 64 - (128 >> (level - 1)));
}

void store(uint level, uvec2 at, uvec4 texel)
{
    imageStore(atlas, placeOf(level) + ivec2(at), texel);
}

// The rounded mean of four texels in shared memory; all invocations take part.
uvec4 reduceShared(uvec2 at, uint side)
{
    barrier();
    const uvec2 from = min(at, uvec2(side / 2 - 1)) * 2;
    const uvec4 sum = texels[from.y][from.x] + texels[from.y][from.x + 1] + texels[from.y + 1][from.x] +
                      texels[from.y + 1][from.x + 1];
    barrier();
    return (sum + 2) / 4;
}

// Levels first to first + 2 from the 8 x 8 texels in shared memory, for the tile at this place.
void reduceThrice(uint first, uvec2 tile)
{
    const uvec2 at = gl_LocalInvocationID.xy;
    for (uint step = 0; step < 3; step++) {
        const uint side = 8 >> step;
        const uvec4 texel = reduceShared(at, side);
        if (all(lessThan(at, uvec2(side / 2)))) {
            texels[at.y][at.x] = texel;
            store(first + step, tile * (side / 2) + at, texel);
        }
    }
    barrier();
}

void main()
{
    const uvec2 at = gl_LocalInvocationID.xy;
    const uvec2 tile = gl_WorkGroupID.xy;
    const ivec2 from = ivec2(tile * 16 + at * 2);
    const uvec4 sum = imageLoad(picture, from) + imageLoad(picture, from + ivec2(1, 0)) +
                      imageLoad(picture, from + ivec2(0, 1)) + imageLoad(picture, from + ivec2(1, 1));
    texels[at.y][at.x] = (sum + 2) / 4;
    store(1, tile * 8 + at, texels[at.y][at.x]);
    reduceThrice(2, tile);

    if (gl_LocalInvocationIndex == 0) {
        fourth[tile.y * 8 + tile.x] = texels[0][0];
    }
    memoryBarrierBuffer();
    barrier();
    if (finishWriting()) {
        texels[at.y][at.x] = fourth[gl_LocalInvocationIndex];
        reduceThrice(5, uvec2(0));
    }
}

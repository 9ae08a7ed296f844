#version 460
// SPDX-License-Identifier: Apache-2.0
// A tile of the ground: four smaller ones where the eye is near, else what is drawn there.
#include "meadow.glsl"

layout(constant_id = 0) const uint DETAIL = 3;

layout(name = "tile", static_grid = uvec3(1, 1, 1), recursion = 9) node;
layout(local_size_x = 4) in;

nodein Tile tile;
layout(node = "tile") nodeout Tile quarters[4];
layout(node = "ground") nodeout Tile grounds[1];
layout(node = "grass") nodeout Patch grass[1];
layout(node = "flowers") nodeout Patch flowers[1];

layout(set = 0, binding = 0) buffer Counts {
    uint tiles;
    uint rows_of_grass;
    uint groups_of_flowers;
} counts;

// From the eye to the nearest place of the tile, on the ground.
uvec2 way()
{
    const uvec2 nearest = clamp(kEye, tile.corner, tile.corner + tile.size);
    return uvec2(abs(ivec2(nearest - kEye)));
}

// It may be in the picture.
bool isSeen()
{
    const int away = int(tile.corner.y + tile.size) - int(kEye.y);
    return away > 0 && 4 * way().x <= 3 * uint(away) + 32;
}

uint rowsOfGrass(uint away2)
{
    const uint ratio2 = away2 / (tile.size * tile.size);
    return tile.size > 256 ? 0 : ratio2 < 12 ? 48 : ratio2 < 24 ? 40 : 32;
}

// They grow together: 32 x 32 places have more or fewer.
uint groupsOfFlowers()
{
    const uvec2 place = tile.corner / 32;
    const uint rich = hashed(place.x * 65537 + place.y) % 4;
    const uint chance = hashed(tile.corner.x * 65537 + tile.corner.y + 1) % 4;
    if (tile.size > 256)
        return 0;
    return tile.size <= 16 ? uint(chance < rich) : tile.size <= 32 ? rich + chance / 2 : 3 + chance;
}

void main()
{
    if (!isSeen())
        return;
    const uvec2 apart = way();
    const uint away2 = apart.x * apart.x + apart.y * apart.y;
    const uint i = gl_LocalInvocationIndex;
    if (away2 < DETAIL * DETAIL * tile.size * tile.size && remainingRecursion() > 0) {
        allocateWorkgroup(quarters, 4);
        quarters[i].size = tile.size / 2;
        quarters[i].corner = tile.corner + uvec2(i % 2, i / 2) * (tile.size / 2);
        enqueue(quarters);
        return;
    }
    allocateWorkgroup(grounds, 1);
    grounds[0].corner = tile.corner;
    grounds[0].size = tile.size;
    enqueue(grounds);
    const uint rows = rowsOfGrass(away2);
    const uint groups = groupsOfFlowers();
    allocateWorkgroup(grass, rows > 0 ? 1 : 0);
    if (rows > 0) {
        grass[0].grid = uvec3(rows, 1, 1);
        grass[0].corner = tile.corner;
        grass[0].size = tile.size;
    }
    enqueue(grass);
    allocateWorkgroup(flowers, groups > 0 ? 1 : 0);
    if (groups > 0) {
        flowers[0].grid = uvec3(groups, 1, 1);
        flowers[0].corner = tile.corner;
        flowers[0].size = tile.size;
    }
    enqueue(flowers);
    if (i == 0) {
        atomicAdd(counts.tiles, 1);
        atomicAdd(counts.rows_of_grass, rows);
        atomicAdd(counts.groups_of_flowers, groups);
    }
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// Finds what is seen in each pixel of a tile, and sends the tile to the node of every material in it. Most tiles have
// one material, so shaders of others never run there.
#include "tile.glsl"

layout(name = "classify", static_grid = uvec3(16, 12, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

layout(node = "shade", array_size = kMaterials) nodeout Tile tiles[kMaterials];

layout(set = 0, binding = 0, r8ui) writeonly uniform uimage2D materials;

shared uint seen;  // a bit for each material

uint materialAt(ivec2 at)
{
    const ivec2 fromBall = at - ivec2(48, 52);
    if (fromBall.x * fromBall.x + fromBall.y * fromBall.y < 26 * 26) {
        return 2;
    }
    if (at.x >= 84 && at.x < 112 && at.y >= 40 && at.y < 80) {
        return 3;
    }
    return at.y < 56 ? 0 : 1;
}

void main()
{
    const uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        seen = 0;
    }
    barrier();
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    const uint material = materialAt(at);
    imageStore(materials, at, uvec4(material));
    atomicOr(seen, 1u << material);
    barrier();
    // Invocation i speaks for material i; the others send nothing.
    const bool sends = i < kMaterials && (seen >> i & 1) != 0;
    allocateInvocationAt(tiles, min(i, kMaterials - 1), sends ? 1 : 0);
    if (sends) {
        tiles[0].corner = gl_WorkGroupID.xy * 8;
    }
    enqueue(tiles);
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "tiles", static_grid = uvec3((TILES + 7) / 8, (TILES + 7) / 8, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

layout(node = "square", finish_tracking) nodeout Square squares[64];

void main()
{
    const uvec2 tile = gl_GlobalInvocationID.xy;
    const bool inside = tile.x < TILES && tile.y < TILES;
    allocateInvocation(squares, inside ? 1 : 0);
    if (inside) {
        squares[0].groups = (4 * (TILE - 1) + 31) / 32;
        squares[0].at = tile * TILE;
        squares[0].size = TILE;
        squares[0].least = ~0u;
        squares[0].most = 0;
    }
    enqueue(squares);
}

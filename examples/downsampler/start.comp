#version 460
// SPDX-License-Identifier: Apache-2.0
// The API's own payloads cannot be tracked, so a node sends the one that is.
#include "tiles.glsl"

layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;

layout(node = "reduce", finish_tracking) nodeout Tiles tiles[1];

void main()
{
    allocateWorkgroup(tiles, 1);
    tiles[0].count = uvec2(8, 8);
    enqueue(tiles);
}

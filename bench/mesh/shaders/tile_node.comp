#version 460
// SPDX-License-Identifier: Apache-2.0
// A node: each workgroup of its grid looks at a tile, and sends what can be seen of it to the mesh node.
#include "tile_list.glsl"

layout(name = "tiles", max_grid = uvec3(65535, 1, 1)) node;
layout(local_size_x = 64) in;

struct Field {
    dispatch_grid uvec3 grid;
};
nodein Field field;

struct Tile {
    dispatch_grid uvec3 grid;
    uint items[kTileItems];
};
layout(node = "grass") nodeout Tile seen[1];

void main()
{
    listItems();
    allocateWorkgroup(seen, s_count > 0u ? 1u : 0u);
    if (s_count > 0u) {
        if (gl_LocalInvocationIndex == 0u)
            seen[0].grid = uvec3(s_count, 1u, 1u);
        for (uint i = gl_LocalInvocationIndex; i < s_count; i += 64u)
            seen[0].items[i] = s_items[i];
    }
    enqueue(seen);
}

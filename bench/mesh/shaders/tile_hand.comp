// SPDX-License-Identifier: Apache-2.0
// By hand, what the graph's node does: appends what can be seen of a tile to a list, and a draw of it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tile_list.glsl"

layout(local_size_x = 64) in;
shared uint s_tile;

void main()
{
    listItems();
    if (s_count == 0u)
        return;
    if (gl_LocalInvocationIndex == 0u) {
        s_tile = atomicAdd(frame.counts.v.tiles, 1u);
        frame.draws.v[3u * s_tile] = s_count;
        frame.draws.v[3u * s_tile + 1u] = 1u;
        frame.draws.v[3u * s_tile + 2u] = 1u;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < s_count; i += 64u)
        frame.tiles.v[kTileItems * s_tile + i] = s_items[i];
}

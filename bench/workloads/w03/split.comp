#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// An invocation for each tile of a large triangle. With SMALL it is one workgroup.
#include "payloads.glsl"
#ifdef SMALL
layout(name = "split_fixed", max_grid = uvec3(1, 1, 1), api_entry = false) node;
#else
layout(name = "split", max_grid = uvec3(32400, 1, 1), api_entry = false) node;
#endif
layout(local_size_x = 32) in;

nodein Split split;
layout(node = "raster", array_size = kBins) nodeout Piece pieces[32];

void main()
{
    const Triangle triangle = fetch(vertices, split.id);
    const ivec4 all = split.box;
    const ivec2 tiles = (all.zw - all.xy + split.tile) / split.tile;
    const int i = int(gl_GlobalInvocationID.x);
    const ivec2 first = all.xy + ivec2(i % tiles.x, i / tiles.x) * split.tile;
    const ivec4 box = ivec4(first, min(first + split.tile - 1, all.zw));
    const bool works = i < tiles.x * tiles.y && !misses(triangle.v, box);
    allocateInvocationAt(pieces, works ? binOf(sizeOf(box)) : 0, works ? 1 : 0);
    if (works) {
        pieces[0].v = triangle.v;
        pieces[0].z = triangle.z;
        pieces[0].id = triangle.id;
        pieces[0].box = box;
    }
    enqueue(pieces);
}

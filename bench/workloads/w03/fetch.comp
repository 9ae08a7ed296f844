#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "fetch", max_grid = uvec3(65535, 1, 1), api_entry = false) node;
layout(local_size_x = 32) in;

nodein Draw draw;
layout(node = "raster", array_size = kBins) nodeout Piece pieces[32];
layout(node = "split_fixed") nodeout Split fixedSplits[32];
layout(node = "split") nodeout Split splits[32];

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const bool works = i < draw.count;
    const Triangle triangle = fetch(vertices, draw.first + (works ? i : 0));
    const bool visible = works && doubleArea(triangle.v) > 0;
    const ivec4 box = boxOf(triangle.v);
    const uint bin = binOf(sizeOf(box));
    const bool isSmall = bin < kBins;
    // Tiles of at most kMostPixels.
    const ivec2 extent = box.zw - box.xy + 1;
    const int rows = (extent.y + kSide - 1) / kSide;
    const int tileHeight = (extent.y + rows - 1) / rows;
    const ivec2 tile = ivec2(kMostPixels / tileHeight, tileHeight);
    const ivec2 tiles = (extent + tile - 1) / tile;
    const uint groups = uint(tiles.x * tiles.y + 31) / 32;

    const bool goesOn = visible && isSmall;
    allocateInvocationAt(pieces, goesOn ? bin : 0, goesOn ? 1 : 0);
    if (goesOn) {
        pieces[0].v = triangle.v;
        pieces[0].z = triangle.z;
        pieces[0].id = triangle.id;
        pieces[0].box = box;
    }
    enqueue(pieces);
    const bool isFixed = visible && !isSmall && groups == 1;
    allocateInvocation(fixedSplits, isFixed ? 1 : 0);
    if (isFixed) {
        fixedSplits[0].groups = 1;
        fixedSplits[0].id = triangle.id;
        fixedSplits[0].box = box;
        fixedSplits[0].tile = tile;
    }
    enqueue(fixedSplits);
    const bool isDynamic = visible && !isSmall && groups > 1;
    allocateInvocation(splits, isDynamic ? 1 : 0);
    if (isDynamic) {
        splits[0].groups = groups;
        splits[0].id = triangle.id;
        splits[0].box = box;
        splits[0].tile = tile;
    }
    enqueue(splits);
}

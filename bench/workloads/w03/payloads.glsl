// SPDX-License-Identifier: Apache-2.0
#include "raster.glsl"
const uint kBins = 9;
const int kMostPixels = 256;  // of the largest bin
const int kSide = 16;         // a square of about so many

struct Draw {
    dispatch_grid uint groups;
    uint first;
    uint count;
};
// A triangle to cut into tiles.
struct Split {
    dispatch_grid uint groups;
    uint id;
    ivec4 box;
    ivec2 tile;
};
struct Piece {
    ivec2 v[3];
    uvec3 z;
    uint id;
    ivec4 box;
    uint padding[2];
};
layout(push_constant, scalar) uniform Arguments { Words depths; Pairs vertices; Pairs objects; };

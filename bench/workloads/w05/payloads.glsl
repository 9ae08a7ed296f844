// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot.glsl"
struct Square {
    dispatch_grid uint groups;
    uvec2 at;
    uint size;
    uint least;
    uint most;
};
// Pixels on each side of a workgroup: those to draw take long, those to fill are many.
const uint kDraw = 8;
const uint kFill = 16;
// The inside of a square.
struct Region {
    dispatch_grid uvec2 groups;
    uvec2 at;
    uint size;
    uint value;
};
layout(push_constant, scalar) uniform Arguments { Words dwells; };

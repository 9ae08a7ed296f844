// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot.glsl"

struct Square {
    uvec2 corner;
    uint size;
};
// Brings its own grid.
struct Area {
    dispatch_grid uvec2 groups;
    uvec2 corner;
    uint size;
    uint dwell;
};

layout(set = 0, binding = 0, rgba8ui) writeonly uniform uimage2D picture;
layout(set = 0, binding = 1, scalar) buffer Counts { uint squares, filled, drawn; } counts;

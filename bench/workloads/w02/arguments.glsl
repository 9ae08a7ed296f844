// SPDX-License-Identifier: Apache-2.0
// By hand: eight tiles to a workgroup. Classes: eight materials, dark, sky.
#include "lighting.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments {
    Words surfaces;
    Words colours;
    Quads lights;
    Words found;     // the lights of each tile, once
    Words counts;    // and how many
    Words tiles;     // a list of tiles for each class
    Words counters;  // of the classes, 128 bytes apart
    Words nextCounters;
    uint class_;
    uint count;  // of tiles in the class, which the host knows
};

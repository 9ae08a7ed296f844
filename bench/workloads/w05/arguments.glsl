// SPDX-License-Identifier: Apache-2.0
// Of the program by hand. Lists are one for each level, since all squares of a level have one size.
#include "mandelbrot.glsl"
layout(push_constant, scalar) uniform Arguments {
    Words dwells;
    Pairs squares;       // of this level
    Pairs parts;         // of the next level, of the last: those to draw
    Quads same;          // those to fill, of this level
    Words counters;      // squares of the next level, those to fill, 128 bytes apart
    Words nextCounters;  // of the next run
};

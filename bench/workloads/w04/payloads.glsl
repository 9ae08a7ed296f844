// SPDX-License-Identifier: Apache-2.0
#include "shapes.glsl"
struct Line {
    ivec4 ends;
    uint path;
};
struct Box {
    ivec2 corner;
    int size;
    uint path;
};
layout(push_constant, scalar) uniform Arguments { Quads segments; Pairs squares; };

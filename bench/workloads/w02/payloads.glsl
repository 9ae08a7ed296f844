// SPDX-License-Identifier: Apache-2.0
#include "lighting.glsl"
struct Tile {
    uvec2 at;
};
struct LitTile {
    uvec2 at;
    uint lights[kMostLights];
    uint count;
};
layout(push_constant, scalar) uniform Arguments { Words surfaces; Words colours; Quads lights; };

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// What remains to do for a tile: SKY, DARK, or one material.
#include "payloads.glsl"
#if defined(SKY)
layout(name = "sky", static_grid = uvec3(1, 1, 1), api_entry = false) node;
nodein Tile tile;
#elif defined(DARK)
layout(name = "dark", static_grid = uvec3(1, 1, 1), api_entry = false) node;
nodein Tile tile;
#else
layout(name = "material", static_grid = uvec3(1, 1, 1), api_entry = false) node;
nodein LitTile tile;
#endif
layout(local_size_x = 8, local_size_y = 4) in;

void main()
{
    const uvec2 pixel = tile.at * uvec2(8, 4) + gl_LocalInvocationID.xy;
    const uint place = pixel.y * WIDTH + pixel.x;
    const uint surface = surfaces.v[place];
#if defined(SKY)
    if ((surface & 255) == kSky) {
        colours.v[place] = skyAt(pixel);
    }
#elif defined(DARK)
    if ((surface & 255) != kSky) {
        colours.v[place] = darkOf(surface);
    }
#else
    if ((surface & 255) == MATERIAL) {
        uint sum = 0;
        for (uint i = 0; i < tile.count; ++i) {
            sum += lightOn(surface, MATERIAL, lights.v[tile.lights[i]], ivec2(pixel));
        }
        colours.v[place] = sum;
    }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Tiles of 8 x 4 pixels. A pixel has a material (0 to 7, or kSky) and a normal; lights are circles. Whole numbers.
#include "../buffers.glsl"
const uint kTilesX = WIDTH / 8;
const uint kTiles = WIDTH / 8 * (HEIGHT / 4);
const uint kSky = 255;
const uint kMostLights = 64;

bool reaches(uvec4 light, ivec2 low, ivec2 high)
{
    const ivec2 at = ivec2(light.xy);
    const ivec2 d = max(max(low - at, at - high), ivec2(0));
    return uint(d.x * d.x + d.y * d.y) < light.z * light.z;
}

uint skyAt(uvec2 pixel)
{
    return mix32(pixel.y) | 1;
}

uint darkOf(uint surface)
{
    return surface * 3 + 1;
}

// Light of one light on one pixel; each material has another formula, of another length.
uint lightOn(uint surface, uint material, uvec4 light, ivec2 pixel)
{
    const ivec2 d = pixel - ivec2(light.xy);
    const uint square = uint(d.x * d.x + d.y * d.y);
    if (square >= light.z * light.z) {
        return 0;
    }
    uint value = (light.z * light.z - square) * (light.w & 255);
    for (uint i = 0; i <= material; ++i) {
        value = value * 1664525u + (surface >> 8);
    }
    return value >> 4;
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// The tiles of one class (CLASS).
#include "arguments.glsl"

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint i = gl_WorkGroupID.x * 8 + lane / 32;
    if (i < count) {
        const uint tile = tiles.v[CLASS * kTiles + i];
        const uvec2 pixel = uvec2(tile % kTilesX, tile / kTilesX) * uvec2(8, 4) + uvec2(lane % 8, lane / 8 % 4);
        const uint place = pixel.y * WIDTH + pixel.x;
        const uint surface = surfaces.v[place];
#if CLASS == 9
        if ((surface & 255) == kSky) {
            colours.v[place] = skyAt(pixel);
        }
#elif CLASS == 8
        if ((surface & 255) != kSky) {
            colours.v[place] = darkOf(surface);
        }
#else
        if ((surface & 255) == CLASS) {
            uint sum = 0;
            for (uint j = 0; j < counts.v[tile]; ++j) {
                sum += lightOn(surface, CLASS, lights.v[found.v[tile * kMostLights + j]], ivec2(pixel));
            }
            colours.v[place] = sum;
        }
#endif
    }
    if (CLASS == 0 && gl_WorkGroupID.x == 0 && lane < 10) {
        nextCounters.v[lane * 32] = 0;
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Finds lights and makes lists; or shades at once (FUSED), one switch for all materials.
#include "arguments.glsl"
shared uint present[8];
shared uint litBy[8];
shared uint nearby[8][kMostLights];
shared uint classCounts[10];
shared uint bases[10];

uint classesOf(uint mine)
{
    const uint materials = present[mine] & 255;
    return (litBy[mine] != 0 ? materials : materials != 0 ? 256 : 0) | (present[mine] >> 8) << 9;
}

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint mine = lane / 32;
    const uint tile = gl_WorkGroupID.x * 8 + mine;
    if (lane < 8) {
        present[lane] = 0;
        litBy[lane] = 0;
    }
    if (lane < 10) {
        classCounts[lane] = 0;
    }
    barrier();
    const uvec2 at = uvec2(tile % kTilesX, tile / kTilesX) * uvec2(8, 4);
    const uvec2 pixel = at + uvec2(lane % 8, lane / 8 % 4);
    const uint place = pixel.y * WIDTH + pixel.x;
    const uint surface = tile < kTiles ? surfaces.v[place] : 0;
    if (tile < kTiles) {
        atomicOr(present[mine], 1 << min(surface & 255, 8));
        for (uint i = lane % 32; i < LIGHTS; i += 32) {
            if (reaches(lights.v[i], ivec2(at), ivec2(at) + ivec2(7, 3))) {
                nearby[mine][atomicAdd(litBy[mine], 1)] = i;
            }
        }
    }
    barrier();
#ifdef FUSED
    if (tile < kTiles) {
        const uint material = surface & 255;
        uint sum = material == kSky ? skyAt(pixel) : litBy[mine] == 0 ? darkOf(surface) : 0;
        if (material != kSky) {
            for (uint i = 0; i < litBy[mine]; ++i) {
                sum += lightOn(surface, material, lights.v[nearby[mine][i]], ivec2(pixel));
            }
        }
        colours.v[place] = sum;
    }
#else
    const uint kind = lane % 32;
    const bool sends = tile < kTiles && kind < 10 && (classesOf(mine) >> kind & 1) != 0;
    const uint rank = sends ? atomicAdd(classCounts[kind], 1) : 0;
    if (tile < kTiles) {
        for (uint i = lane % 32; i < litBy[mine]; i += 32) {
            found.v[tile * kMostLights + i] = nearby[mine][i];
        }
        if (lane % 32 == 0) {
            counts.v[tile] = litBy[mine];
        }
    }
    barrier();
    if (lane < 10 && classCounts[lane] != 0) {
        bases[lane] = atomicAdd(counters.v[lane * 32], classCounts[lane]);
    }
    barrier();
    if (sends) {
        tiles.v[kind * kTiles + bases[kind] + rank] = tile;
    }
#endif
}

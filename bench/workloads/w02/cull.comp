#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Finds the lights of a tile, and sends it to each of its materials.
#include "payloads.glsl"
layout(name = "cull", static_grid = uvec3(kTilesX, HEIGHT / 4, 1)) node;
layout(local_size_x = 8, local_size_y = 4) in;

layout(node = "sky") nodeout Tile skies[1];
layout(node = "dark") nodeout Tile darks[1];
layout(node = "material", array_size = 8) nodeout LitTile lit[8];

shared uint present;  // bit 8: sky
shared uint count;
shared uint found[kMostLights];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    if (lane == 0) {
        present = 0;
        count = 0;
    }
    barrier();
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    const uint material = surfaces.v[pixel.y * WIDTH + pixel.x] & 255;
    atomicOr(present, 1 << min(material, 8));
    const ivec2 low = ivec2(gl_WorkGroupID.xy * uvec2(8, 4));
    for (uint i = lane; i < LIGHTS; i += 32) {
        if (reaches(lights.v[i], low, low + ivec2(7, 3))) {
            found[atomicAdd(count, 1)] = i;
        }
    }
    barrier();
    const uint all = count;
    const bool isDark = all == 0 && (present & 255) != 0;
    allocateWorkgroup(skies, present >> 8);
    if (lane == 0 && present >> 8 != 0) {
        skies[0].at = gl_WorkGroupID.xy;
    }
    enqueue(skies);
    allocateWorkgroup(darks, isDark ? 1 : 0);
    if (lane == 0 && isDark) {
        darks[0].at = gl_WorkGroupID.xy;
    }
    enqueue(darks);
    const bool sends = all != 0 && lane < 8 && (present >> lane & 1) != 0;
    allocateInvocationAt(lit, lane % 8, sends ? 1 : 0);
    if (sends) {
        lit[0].at = gl_WorkGroupID.xy;
        lit[0].count = all;
        for (uint i = 0; i < all; ++i) {
            lit[0].lights[i] = found[i];
        }
    }
    enqueue(lit);
}

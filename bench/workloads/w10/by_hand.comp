#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A list of rays for each material, word by word in planes; or no list (FUSED). SHADE: the second pass, for one material.
#include "scene.glsl"
layout(push_constant, scalar) uniform Arguments {
    Words colours;
    Words rays;
    Words counters;
    Words nextCounters;
    uint material;
};
const uint kPixels = WIDTH * HEIGHT;
const uint kWords = 9;

#ifdef SHADE
layout(local_size_x = 256) in;

void main()
{
    const uint count = counters.v[material * 32];
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * 256) {
        uint words[kWords];
        for (uint j = 0; j < kWords; ++j) {
            words[j] = rays.v[(material * kWords + j) * kPixels + i];
        }
        const Ray ray = Ray(uvec2(words[0], words[1]), ivec3(words[2], words[3], words[4]),
                            ivec3(words[5], words[6], words[7]), words[8]);
        colours.v[ray.pixel.y * WIDTH + ray.pixel.x] = shade(ray, material);
    }
    if (gl_GlobalInvocationID.x == 0) {
        nextCounters.v[material * 32] = 0;
    }
}
#else
layout(local_size_x = 16, local_size_y = 16) in;
shared uint counts[3];
shared uint bases[3];

void main()
{
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    const bool inside = pixel.x < WIDTH && pixel.y < HEIGHT;
    Ray ray;
    const uint met = trace(pixel, ray);
#ifdef FUSED
    if (inside) {
        colours.v[pixel.y * WIDTH + pixel.x] = shade(ray, met);
    }
#else
    const uint lane = gl_LocalInvocationIndex;
    if (lane < 3) {
        counts[lane] = 0;
    }
    barrier();
    const uint rank = inside ? atomicAdd(counts[met], 1) : 0;
    barrier();
    if (lane < 3) {
        bases[lane] = counts[lane] == 0 ? 0 : atomicAdd(counters.v[lane * 32], counts[lane]);
    }
    barrier();
    if (inside) {
        const uint i = bases[met] + rank;
        const uint words[kWords] =
            uint[](ray.pixel.x, ray.pixel.y, uint(ray.origin.x), uint(ray.origin.y), uint(ray.origin.z),
                   uint(ray.direction.x), uint(ray.direction.y), uint(ray.direction.z), ray.distance_);
        for (uint j = 0; j < kWords; ++j) {
            rays.v[(met * kWords + j) * kPixels + i] = words[j];
        }
    }
#endif
}
#endif

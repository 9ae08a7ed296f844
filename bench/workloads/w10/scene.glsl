// SPDX-License-Identifier: Apache-2.0
// A scene of circles in whole numbers: a ray is a pixel, a direction and what it passes. Three materials.
#include "../buffers.glsl"

struct Ray {
    uvec2 pixel;
    ivec3 origin;
    ivec3 direction;
    uint distance_;
};

// Fills the ray and returns the material that it meets.
uint trace(uvec2 pixel, out Ray ray)
{
    const ivec2 at = ivec2(pixel);
    ray.pixel = pixel;
    ray.origin = ivec3(at, int(mix32(pixel.x) & 255));
    ray.direction = ivec3(at.x - WIDTH / 2, at.y - HEIGHT / 2, 1000);
    uint best = 0xffffff;
    uint material = 0;
    for (uint i = 0; i < 16; ++i) {
        const uint h = mix32(i + 77);
        const ivec2 d = at - ivec2((h & 0xffff) % WIDTH, (h >> 16) % HEIGHT);
        const uint square = uint(d.x * d.x + d.y * d.y);
        if (square < 30000 && square + i < best) {
            best = square + i;
            material = 1 + (i & 1);
        }
    }
    ray.distance_ = best;
    return material;
}

uint shade(Ray ray, uint material)
{
    uint light = ray.distance_ * (material + 1);
    for (uint i = 0; i < 4 * material + 1; ++i) {
        light = light * 1664525u + uint(ray.direction.x * ray.origin.y + ray.direction.y * ray.origin.x + ray.direction.z);
    }
    return light ^ uint(ray.origin.z);
}

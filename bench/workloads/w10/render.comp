#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "scene.glsl"
layout(name = "render", static_grid = uvec3((WIDTH + 7) / 8, (HEIGHT + 7) / 8, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

struct Hit {
    uvec2 pixel;
    ivec3 origin;
    ivec3 direction;
    uint distance_;
};
layout(node = "shade", array_size = 3) nodeout Hit hits[64];

void main()
{
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    const bool inside = pixel.x < WIDTH && pixel.y < HEIGHT;
    Ray ray;
    const uint material = trace(pixel, ray);
    allocateInvocationAt(hits, inside ? material : 0, inside ? 1 : 0);
    if (inside) {
        hits[0].pixel = pixel;
        hits[0].origin = ray.origin;
        hits[0].direction = ray.direction;
        hits[0].distance_ = ray.distance_;
    }
    enqueue(hits);
}

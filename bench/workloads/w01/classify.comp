#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Sends each pixel to the node of its material.
#include "picture.glsl"
layout(name = "classify", static_grid = uvec3((WIDTH + 7) / 8, (HEIGHT + 7) / 8, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

struct Pixel {
    uvec2 at;
};
layout(node = "shade", array_size = MATERIALS) nodeout Pixel pixels[64];

layout(push_constant, scalar) uniform Arguments { Words materials; Pairs colours; };

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    const bool inside = at.x < WIDTH && at.y < HEIGHT;
    const uint material = inside ? materials.v[at.y * WIDTH + at.x] : 0;
    allocateInvocationAt(pixels, material, inside ? 1 : 0);
    if (inside) {
        pixels[0].at = at;
    }
    enqueue(pixels);
}

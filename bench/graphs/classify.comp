#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Sends each pixel to the node of its material.
#include "materials.glsl"
layout(name = "classify", static_grid = uvec3(479, 220, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

struct Picture {
    uint blockSide;
};
struct Pixel {
    uvec2 at;
};
nodein Picture picture;
layout(node = "shade", array_size = 111) nodeout Pixel pixels[64];

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    const bool inside = at.x < kWidth && at.y < kHeight;
    allocateInvocationAt(pixels, inside ? materialAt(at, picture.blockSide) : 0, inside ? 1 : 0);
    if (inside) {
        pixels[0].at = at;
    }
    enqueue(pixels);
}

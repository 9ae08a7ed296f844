#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Colours the pixels of one material.
#include "picture.glsl"
layout(name = "shade", coalescing, api_entry = false) node;
layout(local_size_x = 256) in;

struct Pixel {
    uvec2 at;
};
nodein Pixel pixels[256];

layout(push_constant, scalar) uniform Arguments { Words materials; Pairs colours; };

void main()
{
    if (gl_LocalInvocationIndex < pixels.length()) {
        const uvec2 at = pixels[gl_LocalInvocationIndex].at;
        colours.v[at.y * WIDTH + at.x] = colourOf(shaderIndex());
    }
}

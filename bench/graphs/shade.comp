#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Colours the pixels of one material.
#include "materials.glsl"
layout(name = "shade", coalescing) node;
layout(local_size_x = 256) in;

struct Pixel {
    uvec2 at;
};
nodein Pixel pixels[256];

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Colours { uvec2 v[]; };
layout(push_constant, scalar) uniform Arguments { Colours colours; };

void main()
{
    if (gl_LocalInvocationIndex < pixels.length()) {
        const uvec2 at = pixels[gl_LocalInvocationIndex].at;
        colours.v[at.y * kWidth + at.x] = uvec2(shaderIndex() * 77 + 1, shaderIndex());
    }
}

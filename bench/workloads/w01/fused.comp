#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// What remains where no payload is needed.
#include "arguments.glsl"
layout(local_size_x = 256) in;

void main()
{
    for (uint i = 0; i < 4; ++i) {
        const uint pixel = (gl_WorkGroupID.x * 4 + i) * 256 + gl_LocalInvocationIndex;
        if (pixel < WIDTH * HEIGHT) {
            colours.v[pixel] = colourOf(materials.v[pixel]);
        }
    }
}

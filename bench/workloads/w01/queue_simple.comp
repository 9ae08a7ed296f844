#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// As queue.comp without shared memory, for devices on which that and barriers are dear: an atomic for each pixel.
#include "arguments.glsl"
layout(local_size_x = 8, local_size_y = 8) in;

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < WIDTH && at.y < HEIGHT) {
        const uint material = materials.v[at.y * WIDTH + at.x];
        payloads.v[material * capacity + atomicAdd(counters.v[material * kStride], 1)] = at;
    }
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// Runs in a second dispatch: colours for distances, and what they are together.
#include "cave.glsl"

layout(name = "paint", static_grid = uvec3(4, 4, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 2, rgba8ui) writeonly uniform uimage2D picture;

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    const uint steps = distances[at.y * kSide + at.x];
    if (steps == kNotReached) {
        imageStore(picture, at, uvec4(40, 36, 32, 255));
        return;
    }
    imageStore(picture, at, uvec4(255 - steps * 2, 80 + steps, steps * 2, 255));
    atomicAdd(reached, 1);
    atomicMax(farthest, steps);
}

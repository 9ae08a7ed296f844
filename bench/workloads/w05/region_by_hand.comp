#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Fills squares of one level, or draws (DRAW).
#include "arguments.glsl"
layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < SIZE - 2 && at.y < SIZE - 2) {
#ifdef DRAW
        const uvec2 pixel = squares.v[gl_WorkGroupID.z] + at;
        const uint value = dwellAt(pixel);
#else
        const uvec4 region = same.v[gl_WorkGroupID.z];
        const uvec2 pixel = region.xy + at;
        const uint value = region.z;
#endif
        dwells.v[pixel.y * kWidth + pixel.x] = value;
    }
#ifdef DRAW
    if (gl_WorkGroupID == uvec3(0) && gl_LocalInvocationIndex < 32) {
        nextCounters.v[gl_LocalInvocationIndex * 32] = 0;
    }
#endif
}

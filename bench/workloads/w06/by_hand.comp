#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One dispatch; the last workgroup that is done goes on.
#include "reduce.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Picture picture; Words counter; uint level; };
shared bool isLast;

void main()
{
#ifdef LEVEL
    const uint side = SIZE >> level;
    const uvec2 at = gl_WorkGroupID.xy * 16 + uvec2(gl_LocalInvocationIndex % 16, gl_LocalInvocationIndex / 16);
    if (at.x < side && at.y < side) {
        const uint from = placeOf(level - 1, 2 * at);
        const uint next = from + 2 * side;
        picture.v[placeOf(level, at)] =
            average(picture.v[from], picture.v[from + 1], picture.v[next], picture.v[next + 1]);
    }
#else
    reduceTile(picture, gl_WorkGroupID.xy);
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        isLast = atomicAdd(counter.v[0], 1) == gl_NumWorkGroups.x * gl_NumWorkGroups.y - 1;
        if (isLast) {
            counter.v[0] = 0;
        }
    }
    barrier();
    if (isLast) {
        memoryBarrierBuffer();
        reduceRest(picture);
    }
#endif
}

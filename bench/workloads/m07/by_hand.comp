#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A workgroup each, or (LOOPING) as many workgroups as fill the device, which stride over all. Somebody else has written
// down for which hand each is.
#include "body.glsl"
layout(local_size_x = SIZE) in;
layout(push_constant, scalar) uniform Arguments { Words results; Pairs table; uint rounds; uint groups; Words owners; };

void play(uint workgroup)
{
    const uint hand = owners.v[workgroup];
    const uint lane = gl_LocalInvocationIndex;
    results.v[workgroup * SIZE + lane] = heavyResult(hand, workgroup - table.v[hand].y, lane, rounds);
}

void main()
{
#ifdef LOOPING
    for (uint workgroup = gl_WorkGroupID.x; workgroup < groups; workgroup += gl_NumWorkGroups.x) {
        play(workgroup);
#ifdef SHARED
        barrier();
#endif
    }
#else
    const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (workgroup < groups) {
        play(workgroup);
    }
#endif
}

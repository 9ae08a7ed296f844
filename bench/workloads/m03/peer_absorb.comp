#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 64) in;

void main()
{
    const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationIndex;
    if (i < extra.v[kAbsorbGrid + 3]) {
        const uint place = extra.v[kOffsets + i];
#define WORD(j) records.v[PLACE(place, j)]
        SUM_OF(WORD, sum)
        sums.v[records.v[PLACE(place, 0)]] = sum;
    }
}

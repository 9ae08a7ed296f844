#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 64) in;

void main()
{
    const uint entry = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationIndex;
    if (entry < extra.v[kExpandGrid + 3]) {
        const uint run = extra.v[ENTRIES_AT + 2 * entry];
        const uint rank = extra.v[ENTRIES_AT + 2 * entry + 1];
        const uint length = run >> 24 == 0 ? 256 : run >> 24;
        for (uint i = 0; i < length; ++i) {
            extra.v[kOffsets + rank + i] = (run & 0xffffff) + i;
        }
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 64) in;

void main()
{
    const uint entry = gl_GlobalInvocationID.x;
    if (entry < extra.v[kExpandCount]) {
        const uint first = extra.v[kEntriesAt + 2 * entry];
        const uint second = extra.v[kEntriesAt + 2 * entry + 1];
        const uint to = kOffsets + extra.v[kBases + (second >> 24)] + (second & 0xffffff);
        for (uint i = 0; i < first >> 24; ++i) {
            extra.v[to + i] = (first & 0xffffff) + i;
        }
    }
}

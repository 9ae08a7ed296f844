#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 256) in;

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < extra.v[kNodes + 4 * node + 3]) {
        const uvec2 at = payloads.v[extra.v[kOffsets + extra.v[kBases + node] + i]];
        colours.v[at.y * WIDTH + at.x] = colourOf(node);
    }
}

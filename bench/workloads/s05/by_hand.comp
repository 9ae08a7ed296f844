#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level; there are known numbers of payloads.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Words sums; Words from; Words to; uint count; uint left; };

void main()
{
    const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
    if (i >= count) {
        return;
    }
    // Level 6 has two payloads of each input.
    const uint at = left == 6 ? 1 + i % 2 : from.v[i];
    atomicAdd(sums.v[at], left + 1);
    if (left > 0) {
        to.v[2 * i] = at + 1;
        to.v[2 * i + 1] = at + 2;
    }
}

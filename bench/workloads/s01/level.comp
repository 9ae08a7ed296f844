#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level by hand: each invocation makes the branches of one payload; the last makes leaves. What the tree looks like is
// known, so nothing is counted.
#include "../buffers.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { Pairs from; Pairs to; Words leaves; uint count; uint isLast; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count) {
        return;
    }
    const uvec2 branch = from.v[i];
    if (isLast != 0) {
        leaves.v[branch.y] = branch.y ^ 0x5a5au;
        return;
    }
    to.v[2 * i] = uvec2(branch.x + 1, 2 * branch.y);
    to.v[2 * i + 1] = uvec2(branch.x + 1, 2 * branch.y + 1);
}

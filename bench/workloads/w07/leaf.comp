#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "leaf", coalescing, api_entry = false) node;
layout(local_size_x = 64) in;

nodein Leaf leaves[64];

void main()
{
    const uint i = gl_LocalInvocationIndex;
    if (i < leaves.length()) {
        atomicAdd(hits.v[leaves[i].query], hitOf(leaves[i].node, leaves[i].query));
    }
}

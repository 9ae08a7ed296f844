#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Counts how many workgroups it takes.
#include "../buffers.glsl"
layout(name = "collect", coalescing, api_entry = false) node;
layout(local_size_x = MAX) in;

struct Item {
    uint place;
    uint value;
};
nodein Item items[MAX];

layout(push_constant, scalar) uniform Arguments { Words results; Words workgroups; };

void main()
{
    const uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        atomicAdd(workgroups.v[0], 1);
    }
    if (i < items.length()) {
        results.v[items[i].place] = items[i].value;
    }
}

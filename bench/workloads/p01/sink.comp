#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
layout(name = "sink", coalescing) node;
layout(local_size_x = 64) in;

struct Item {
    uint place;
    uint value;
};
nodein Item items[64];

layout(push_constant, scalar) uniform Arguments { Words table; };

void main()
{
    if (gl_LocalInvocationIndex < items.length()) {
        table.v[items[gl_LocalInvocationIndex].place] = items[gl_LocalInvocationIndex].value;
    }
}

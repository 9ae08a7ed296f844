#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
layout(name = "gather", coalescing, api_entry = false) node;
layout(local_size_x = 256) in;

struct Item {
    uint place;
    uint value;
};
nodein Item items[256];

layout(push_constant, scalar) uniform Arguments { Words keys; Words results; };

void main()
{
    if (gl_LocalInvocationIndex < items.length()) {
        const uint i = gl_LocalInvocationIndex;
        results.v[items[i].place] = items[i].value + shaderIndex();
    }
}

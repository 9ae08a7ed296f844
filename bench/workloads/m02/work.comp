#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One of many nodes.
#include "../buffers.glsl"
layout(name = "work", static_grid = uvec3(1, 1, 1), api_entry = false) node;
layout(local_size_x = 64) in;

struct Work {
    uint value;
};
nodein Work work;

layout(push_constant, scalar) uniform Arguments { Words results; };

void main()
{
    results.v[gl_LocalInvocationIndex] = mix32(work.value + gl_LocalInvocationIndex) + shaderIndex();
}

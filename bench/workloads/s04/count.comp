#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One of the 14, PLACE.
#include "../buffers.glsl"
layout(name = "count", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

layout(push_constant, scalar) uniform Arguments { Words counts; };

void main()
{
    atomicAdd(counts.v[PLACE], 1);
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// Sends nothing.
#include "payloads.glsl"

layout(name = "last", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 64) in;

nodein OfLeaf given;

void main()
{
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(result, given.value);
}

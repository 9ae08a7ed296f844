#version 460
// SPDX-License-Identifier: Apache-2.0
// Runs once for each number.
#include "number.glsl"

layout(name = "add", static_grid = uvec3(1, 1, 1), api_entry = false) node;
layout(local_size_x = 1) in;

nodein Number number;

layout(set = 0, binding = 0) buffer Result { uint sum; uint runs; };

void main()
{
    atomicAdd(sum, number.value);
    atomicAdd(runs, 1);
}

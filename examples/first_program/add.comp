#version 460
// SPDX-License-Identifier: Apache-2.0
// As ../first_graph/add.comp, with the address of the result in a push constant: the program needs no descriptors.
#extension GL_EXT_buffer_reference : require
#include "../first_graph/number.glsl"

layout(name = "add", static_grid = uvec3(1, 1, 1), api_entry = false) node;
layout(local_size_x = 1) in;

nodein Number number;

layout(buffer_reference) buffer Result { uint sum; uint runs; };
layout(push_constant) uniform Constants { Result result; };

void main()
{
    atomicAdd(result.sum, number.value);
    atomicAdd(result.runs, 1);
}

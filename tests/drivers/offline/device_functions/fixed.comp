#version 460
// SPDX-License-Identifier: Apache-2.0
// A grid that the node declares.
#include "payloads.glsl"

layout(name = "fixed", static_grid = uvec3(2, 1, 1), api_entry = false) node;
layout(local_size_x = 64) in;

nodein OfStatic given;
layout(node = "last") nodeout OfLeaf lastOnes[64];

void main()
{
    allocateInvocation(lastOnes, 1);
    lastOnes[0].value = given.value;
    enqueue(lastOnes);
}

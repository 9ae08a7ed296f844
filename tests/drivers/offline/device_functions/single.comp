#version 460
// SPDX-License-Identifier: Apache-2.0
// A payload for each invocation.
#include "payloads.glsl"

layout(name = "single", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

nodein OfPacked given[1];
layout(node = "last") nodeout OfLeaf lastOnes[1];

void main()
{
    allocateInvocation(lastOnes, 1);
    lastOnes[0].value = given[0].value;
    enqueue(lastOnes);
}

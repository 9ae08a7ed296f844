#version 460
// SPDX-License-Identifier: Apache-2.0
// Several payloads for a workgroup.
#include "payloads.glsl"

layout(name = "gathered", coalescing, api_entry = false) node;
layout(local_size_x = 64) in;

nodein OfCoalescing given[64];
layout(node = "last") nodeout OfLeaf lastOnes[64];

void main()
{
    const uint i = gl_LocalInvocationIndex;
    const uint count = i < given.length() ? 1 : 0;
    allocateInvocation(lastOnes, count);
    if (count > 0)
        lastOnes[0].value = given[i].value;
    enqueue(lastOnes);
}

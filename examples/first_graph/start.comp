#version 460
// SPDX-License-Identifier: Apache-2.0
// The first node: sends each number from 1 to `count` to the node "add".
#include "number.glsl"

struct Range {
    uint count;  // up to 100
};

layout(name = "start", static_grid = uvec3(1, 1, 1)) node;  // one workgroup for each payload
layout(local_size_x = 32) in;
nodein Range range;                                         // what it receives
layout(node = "add") nodeout Number numbers[100];           // what a workgroup may send, and to whom

void main()
{
    allocateWorkgroup(numbers, range.count);                // memory for so many payloads
    for (uint i = gl_LocalInvocationIndex; i < range.count; i += 32) {
        numbers[i].value = i + 1;                           // fill them as any buffer
    }
    enqueue(numbers);                                       // off they go
}

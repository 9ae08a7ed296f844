#version 460
// SPDX-License-Identifier: Apache-2.0
// The first node: sends each number from 1 to `count` to the node "add".
#include "number.glsl"

layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 32) in;

struct Range {
    uint count;  // up to 100
};
nodein Range range;

layout(node = "add") nodeout Number numbers[100];

void main()
{
    allocateWorkgroup(numbers, range.count);
    for (uint i = gl_LocalInvocationIndex; i < range.count; i += 32) {
        numbers[i].value = i + 1;
    }
    enqueue(numbers);
}

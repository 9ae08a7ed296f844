#version 460
// SPDX-License-Identifier: Apache-2.0
// Sends one payload to one node of many.
layout(name = "choose", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 32) in;

struct Choice {
    uint node;
    uint value;
};
struct Work {
    uint value;
};
nodein Choice choice;
layout(node = "work", array_size = NODES) nodeout Work works[1];

void main()
{
    allocateWorkgroupAt(works, choice.node, 1);
    if (gl_LocalInvocationIndex == 0) {
        works[0].value = choice.value;
    }
    enqueue(works);
}

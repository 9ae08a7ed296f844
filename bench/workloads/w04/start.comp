#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Three lines and a square.
#include "payloads.glsl"
layout(name = "start", coalescing) node;
layout(local_size_x = 1) in;

layout(node = "koch") nodeout Line lines[3];
layout(node = "sponge") nodeout Box boxes[1];

void main()
{
    const ivec2 corners[3] = ivec2[](ivec2(0, 0), ivec2(131072, 0), ivec2(65536, 113512));
    allocateInvocation(lines, 3);
    for (uint i = 0; i < 3; ++i) {
        lines[i].ends = ivec4(corners[i], corners[(i + 1) % 3]);
        lines[i].path = i;
    }
    enqueue(lines);
    allocateInvocation(boxes, 1);
    boxes[0].corner = ivec2(0);
    boxes[0].size = BOX_SIZE;
    boxes[0].path = 0;
    enqueue(boxes);
}

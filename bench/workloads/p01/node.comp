#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A node of middling size. The program puts another number in the place of kMark, so that no two nodes are the same.
#include "body.glsl"
layout(name = "node", coalescing) node;
layout(local_size_x = 64) in;

struct Item {
    uint place;
    uint value;
};
nodein Item items[64];
layout(node = "sink") nodeout Item results[64];

layout(push_constant, scalar) uniform Arguments { Words table; };

void main()
{
    const uint i = gl_LocalInvocationIndex;
    const bool works = i < items.length();
    const uint value = works ? work(table, items[i].place, items[i].value) : 0;
    allocateInvocation(results, works && value % 2 == 0 ? 1 : 0);
    if (works && value % 2 == 0) {
        results[0].place = items[i].place;
        results[0].value = value;
    }
    enqueue(results);
}

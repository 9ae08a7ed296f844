#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "distribute", static_grid = uvec3((OBJECTS + 31) / 32, 1, 1)) node;
layout(local_size_x = 32) in;

layout(node = "fetch") nodeout Draw draws[32];

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    allocateInvocation(draws, i < OBJECTS ? 1 : 0);
    if (i < OBJECTS) {
        const uvec2 object = objects.v[i];
        draws[0].groups = (object.y + 31) / 32;
        draws[0].first = object.x;
        draws[0].count = object.y;
    }
    enqueue(draws);
}

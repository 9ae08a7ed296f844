#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#define LOCAL 64
#include "payloads.glsl"
layout(name = "medium", static_grid = uvec3(1, 1, 1), api_entry = false) node;
layout(local_size_x = LOCAL) in;

nodein Row row;

void main()
{
    const uint sum = sumOf(entries, vector, row.begin, row.begin + row.count);
    if (gl_LocalInvocationIndex == 0) {
        results.v[row.row] = sum;
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#define LOCAL 256
#include "payloads.glsl"
layout(name = "long", max_grid = uvec3(MOST_GROUPS, 1, 1), api_entry = false) node;
layout(local_size_x = LOCAL) in;

nodein LongRow row;

void main()
{
    const uint begin = gl_WorkGroupID.x * kMedium;
    const uint sum = sumOf(entries, vector, row.begin + begin, row.begin + min(begin + kMedium, row.count));
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(results.v[row.row], sum);
    }
}

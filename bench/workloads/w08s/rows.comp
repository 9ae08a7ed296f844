#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "payloads.glsl"
layout(name = "rows", static_grid = uvec3((ROWS + 63) / 64, 1, 1)) node;
layout(local_size_x = 64) in;

layout(node = "medium") nodeout Row medium[64];
layout(node = "long") nodeout LongRow longer[64];

void main()
{
    const uint row = gl_GlobalInvocationID.x;
    const uint begin = row < ROWS ? offsets.v[row] : 0;
    const uint count = row < ROWS ? offsets.v[row + 1] - begin : 0;
    if (row < ROWS && count < kShort) {
        uint sum = 0;
        for (uint i = 0; i < count; ++i) {
            sum += product(entries, vector, begin + i);
        }
        results.v[row] = sum;
    }
    const bool isMedium = count >= kShort && count < kMedium;
    allocateInvocation(medium, isMedium ? 1 : 0);
    if (isMedium) {
        medium[0].row = row;
        medium[0].begin = begin;
        medium[0].count = count;
    }
    enqueue(medium);
    const bool isLong = count >= kMedium;
    allocateInvocation(longer, isLong ? 1 : 0);
    if (isLong) {
        longer[0].groups = (count + kMedium - 1) / kMedium;
        longer[0].row = row;
        longer[0].begin = begin;
        longer[0].count = count;
    }
    enqueue(longer);
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Looks at the border; the last workgroup of a square decides.
#include "payloads.glsl"
layout(name = "square", max_grid = uvec3((4 * (TILE - 1) + 31) / 32, 1, 1), recursion = DEPTH, api_entry = false) node;
layout(local_size_x = 32) in;

layout(finish_tracking) nodein Square square;
layout(node = "square", finish_tracking) nodeout Square parts[4];
layout(node = "fill", shares_budget_with = parts) nodeout Region same[];
layout(node = "draw", shares_budget_with = parts) nodeout Region small[];

void main()
{
    const uint size = square.size;
    const uvec2 at = square.at;
    const uint lane = gl_LocalInvocationIndex;
    const uint i = gl_WorkGroupID.x * 32 + lane;
    if (i < 4 * (size - 1)) {
        const uvec2 pixel = at + borderPixel(i, size);
        const uint dwell = dwellAt(pixel);
        dwells.v[pixel.y * kWidth + pixel.x] = dwell;
        atomicMin(square.least, dwell);
        atomicMax(square.most, dwell);
    }
    memoryBarrierBuffer();
    if (!finishWriting()) {
        return;
    }
    const uint least = square.least;
    const uint part = (size - 2) / 2;
    if (least == square.most) {
        allocateWorkgroup(same, 1);
        if (lane == 0) {
            same[0].groups = uvec2((size - 2 + kFill - 1) / kFill);
            same[0].at = at + 1;
            same[0].size = size - 2;
            same[0].value = least;
        }
        enqueue(same);
    } else if (part < LEAST) {
        allocateWorkgroup(small, 1);
        if (lane == 0) {
            small[0].groups = uvec2((size - 2 + kDraw - 1) / kDraw);
            small[0].at = at + 1;
            small[0].size = size - 2;
        }
        enqueue(small);
    } else {
        allocateWorkgroup(parts, 4);
        if (lane < 4) {
            parts[lane].groups = (4 * (part - 1) + 31) / 32;
            parts[lane].at = at + 1 + part * uvec2(lane % 2, lane / 2);
            parts[lane].size = part;
            parts[lane].least = ~0u;
            parts[lane].most = 0;
        }
        enqueue(parts);
    }
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// A workgroup takes up to 64 points at once, whoever sent them, one for each invocation. It counts those inside of the
// quarter circle in shared memory and adds to the total once.
#include "point.glsl"

layout(name = "test", coalescing, api_entry = false) node;
layout(local_size_x = 64) in;

nodein Point points[64];

layout(set = 0, binding = 0) buffer Totals {
    uint inside;
    uint points_seen;
    uint workgroups;
} totals;
layout(push_constant) uniform Circle { uint radius; };

shared uint inside;

void main()
{
    const uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        inside = 0;
    }
    barrier();
    if (i < points.length()) {
        const uvec2 twice = uvec2(points[i].x, points[i].y) * 2 + 1;  // the middle of the cell
        if (twice.x * twice.x + twice.y * twice.y <= 4 * radius * radius) {
            atomicAdd(inside, 1);
        }
    }
    barrier();
    if (i == 0) {
        atomicAdd(totals.inside, inside);
        atomicAdd(totals.points_seen, points.length());
        atomicAdd(totals.workgroups, 1);
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Colours all pixels: workgroups stride over those that an indirect dispatch for each material would start.
#include "arguments.glsl"
layout(local_size_x = 256) in;
#include "scan.glsl"

void main()
{
    scanCounters();
    const uint all = before[128].y;
    for (uint workgroup = gl_WorkGroupID.x; workgroup < all; workgroup += gl_NumWorkGroups.x) {
        const uint material = nodeOf(workgroup);
        const uint i = (workgroup - before[material].y) * 256 + gl_LocalInvocationIndex;
        if (i < before[material + 1].x - before[material].x) {
#ifdef QUEUES
            const uvec2 at = payloads.v[material * capacity + i];
#else
            const uvec2 at = payloads.v[before[material].x + i];
#endif
            colours.v[at.y * WIDTH + at.x] = colourOf(material);
        }
    }
    for (uint i = gl_GlobalInvocationID.x; i < 256; i += gl_NumWorkGroups.x * 256) {
        nextCounters.v[i * kStride] = 0;
    }
}

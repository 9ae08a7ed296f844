// SPDX-License-Identifier: Apache-2.0
// Payload {grid, value}: counts workgroups, adds up ids, and counts payloads whose last workgroup knew it was last.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "hand_lowered.glsl"
layout(local_size_x = 4) in;

void main()
{
    mr_begin(p.a, p.b);
    while (mr_next()) {
        bool last = mr_finish_writing();
        if (gl_LocalInvocationIndex == 0u) {
            uvec3 id = mr_workgroup_id();
            atomicAdd(result.count[16], 1u);
            atomicAdd(result.count[17], id.x + 10u * id.y + 100u * id.z);
            atomicAdd(result.count[18], input_words(0).v[3]);
            if (last)
                atomicAdd(result.count[19], 1u);
        }
    }
}

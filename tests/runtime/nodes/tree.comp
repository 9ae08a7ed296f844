// SPDX-License-Identifier: Apache-2.0
// Recursion: payload {weight}; sends two payloads to itself while it may, counts runs per remaining level.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "hand_lowered.glsl"
layout(local_size_x = 2) in;

void main()
{
    mr_begin(p.a, p.b);
    while (mr_next()) {
        uint weight = input_words(0).v[0];
        if (gl_LocalInvocationIndex == 0u)
            atomicAdd(result.count[24u + mr_remaining_recursion()], weight);
        if (mr_is_valid(0u, 0u)) {
            uvec4 next = mr_allocate_invocation(0u, 1u, 0u);
            output_words(next, 0u).v[0] = weight + gl_LocalInvocationIndex;
            mr_enqueue(next);
        }
    }
}

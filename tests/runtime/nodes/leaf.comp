// SPDX-License-Identifier: Apache-2.0
// Coalescing: adds up payloads and values per shader index.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "hand_lowered.glsl"
layout(local_size_x = 8) in;

void main()
{
    mr_begin(p.a, p.b);
    while (mr_next())
        for (uint i = gl_LocalInvocationIndex; i < mr_input_count(); i += 8u) {
            atomicAdd(result.count[2u * mr_shader_index()], 1u);
            atomicAdd(result.count[2u * mr_shader_index() + 1u], input_words(i).v[0]);
        }
}

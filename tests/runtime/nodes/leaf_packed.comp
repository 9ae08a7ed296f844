// SPDX-License-Identifier: Apache-2.0
// The same as a single-invocation node.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_PACKED
#include "hand_lowered.glsl"
layout(local_size_x = 64) in;

void main()
{
    mr_begin(p.a, p.b);
    while (mr_next())
        if (mr_active()) {
            atomicAdd(result.count[2u * mr_shader_index()], 1u);
            atomicAdd(result.count[2u * mr_shader_index() + 1u], input_words(0).v[0]);
        }
}

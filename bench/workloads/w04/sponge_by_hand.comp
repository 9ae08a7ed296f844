#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level: an invocation makes one square, since only its parent's corner has to be read.
#include "shapes.glsl"
layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { Pairs from; Pairs to; uint count; int third; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        to.v[i] = uvec2(ivec2(from.v[i / 8]) + third * cornerOf(i % 8));
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// One level of the chain, by hand; or `steps` levels of it, since links do not meet.
#include "link.glsl"
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { Words from; Words to; uint steps; };

void main()
{
    if (gl_LocalInvocationIndex == 0) {
        uint value = from.v[gl_WorkGroupID.x];
        for (uint i = 0; i < steps; ++i) {
            value = nextValue(value);
        }
        to.v[gl_WorkGroupID.x] = value;
    }
}

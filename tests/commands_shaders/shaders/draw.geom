// SPDX-License-Identifier: Apache-2.0
// Each triangle twice.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"
#include "push.glsl"

layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in uint received[];
layout(location = 0) out uint hash;

void emit(uint turn)
{
    for (uint i = 0u; i < 3u; ++i)
    {
        gl_Position = gl_in[i].gl_Position;
        hash = pushed(mixed(received[i], turn), i + turn);
        EmitVertex();
    }
    EndPrimitive();
}

void main()
{
    emit(0u);
    emit(1u);
}

// SPDX-License-Identifier: Apache-2.0
// Triangles that cover different pixels, and all that a vertex knows.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"
#include "push.glsl"

layout(location = 0) out uint hash;
layout(location = 2) out mat2 unread;

void main()
{
    const uint corner = uint(gl_VertexIndex) % 3u;
    gl_Position = vec4(corner == 1u ? 1.0 : -1.0, corner == 2u ? 1.0 : -1.0, 0.0, 1.0);
    uint h = mixed(uint(gl_VertexIndex), uint(gl_InstanceIndex));
    h = mixed(h, uint(gl_DrawID));
    h = mixed(mixed(h, uint(gl_BaseInstance)), uint(gl_BaseVertex));
    hash = pushed(h, uint(gl_VertexIndex));
    unread = mat2(1.0);
}

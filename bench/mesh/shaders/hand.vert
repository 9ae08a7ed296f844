// SPDX-License-Identifier: Apache-2.0
// Loads a vertex that a kernel has written.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec3 color;

void main()
{
    gl_Position = frame.vertices.v[gl_VertexIndex].position;
    color = frame.vertices.v[gl_VertexIndex].color;
}

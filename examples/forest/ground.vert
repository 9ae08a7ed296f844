// SPDX-License-Identifier: Apache-2.0
// One triangle that covers the picture.
#version 460
layout(location = 0) out float height;

void main()
{
    vec2 at = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    height = at.y;
    gl_Position = vec4(at, 1.0, 1.0);
}

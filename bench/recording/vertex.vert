// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 offset;
void main()
{
    gl_Position = position + offset;
}

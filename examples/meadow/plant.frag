#version 460
// SPDX-License-Identifier: Apache-2.0
#include "meadow.glsl"

layout(location = 0) in vec3 light;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(shown(light), 1);
}

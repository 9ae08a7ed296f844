// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) out vec4 color;
layout(push_constant) uniform Constants
{
    vec4 tint;
};
void main()
{
    color = tint;
}

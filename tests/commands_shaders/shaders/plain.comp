// SPDX-License-Identifier: Apache-2.0
// No push constants.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"

layout(local_size_x = 8) in;

void main()
{
    tell(mixed(gl_GlobalInvocationID.x, gl_LocalInvocationIndex));
}

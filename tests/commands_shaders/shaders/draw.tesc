// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"
#include "push.glsl"

layout(vertices = 3) out;
layout(location = 0) in uint received[];
layout(location = 0) out uint hash[];
layout(location = 1) patch out uint patchHash;

void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    hash[gl_InvocationID] = pushed(received[gl_InvocationID], uint(gl_InvocationID));
    barrier();
    if (gl_InvocationID == 0)
    {
        patchHash = mixed(hash[1], hash[2]);
        gl_TessLevelInner[0] = 2.0;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
    }
}

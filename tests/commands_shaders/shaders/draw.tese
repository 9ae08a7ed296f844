// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"
#include "push.glsl"

layout(triangles, equal_spacing, cw) in;
layout(location = 0) in uint received[];
layout(location = 1) patch in uint patchHash;
layout(location = 0) out uint hash;

void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                  gl_TessCoord.z * gl_in[2].gl_Position;
    hash = pushed(mixed(mixed(received[0], received[1]), mixed(received[2], patchHash)), received[0]);
}

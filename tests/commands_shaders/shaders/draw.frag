// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"
#include "push.glsl"

layout(location = 0) flat in uint hash;

void main()
{
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    tell(pushed(mixed(hash, pixel.x + 8u * pixel.y), pixel.x));
}

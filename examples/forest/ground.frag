// SPDX-License-Identifier: Apache-2.0
// Sky above the horizon, meadow below.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tree.glsl"
layout(location = 0) in float height;
layout(location = 0) out vec4 target;

void main()
{
    float below = height + 0.25;
    vec3 sky = mix(kHaze, vec3(0.45, 0.63, 0.80), clamp(-1.6 * below, 0.0, 1.0));
    vec3 meadow = mix(kHaze, vec3(0.36, 0.44, 0.22), clamp(2.4 * below, 0.0, 1.0));
    target = vec4(below < 0.0 ? sky : meadow, 1.0);
}

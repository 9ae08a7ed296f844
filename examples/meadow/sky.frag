#version 460
// SPDX-License-Identifier: Apache-2.0
// The sky with clouds, and hills as far as the eye can see.
#include "meadow.glsl"

layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;

float layers(vec2 at, uint seed)
{
    float sum = 0;
    float part = 0.5;
    for (uint i = 0; i < 6; ++i, part *= 0.5, at = mat2(1.6, 1.2, -1.2, 1.6) * at)
        sum += part * noise(at + 100, seed + i);
    return sum;
}

vec3 clouded(vec3 sky, vec3 way)
{
    const vec2 at = way.xy / (way.z + 0.12);
    const float thick = layers(at * 1.1, 21);
    const float there = smoothstep(0.50, 0.72, thick) * smoothstep(0.01, 0.12, way.z);
    const float behind = layers(at * 1.1 + 0.15 * kSun.xy, 21);
    const vec3 cloud = mix(vec3(1.35, 1.22, 1.08), vec3(0.44, 0.50, 0.62), smoothstep(0.46, 0.80, behind));
    return mix(sky, cloud * (1 + 0.8 * pow(max(dot(way, kSun), 0), 12)), 0.9 * there);
}

void main()
{
    const float up = -place.y * kSeen.y;
    const vec3 way = normalize(vec3(place.x * kSeen.x, cos(kPitch) - up * sin(kPitch), up * cos(kPitch) + sin(kPitch)));
    vec3 sky = clouded(skyColor(way), way);
    // Far hills, the farthest first.
    for (uint i = 0; i < 3; ++i) {
        const float turn = way.x / way.y;
        float top = 0.085 - 0.018 * i + 0.07 * (layers(vec2(turn * (3 + i), i), 31 + 7 * i) - 0.5);
        top += i == 2 ? 0.006 * layers(vec2(turn * 60, 0), 61) : 0.0;  // woods
        const vec3 hill = mix(vec3(0.02, 0.07, 0.06), skyColor(vec3(way.xy, 0.02)), 0.66 - 0.20 * i);
        sky = mix(sky, hill, smoothstep(0, 0.002, top - way.z));
    }
    color = vec4(shown(sky), 1);
}

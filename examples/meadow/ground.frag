#version 460
// SPDX-License-Identifier: Apache-2.0
// Earth, a path, and from afar the grass.
#include "meadow.glsl"

layout(location = 0) in vec3 place;
layout(location = 0) out vec4 color;

void main()
{
    const float away = length(place - kEyePlace);
    const vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    const float fine = noise(place.xy * 9, 41) * 0.5 + noise(place.xy * 31, 42) * 0.5;
    const float patches = noise(place.xy / 7, 43) * 0.6 + noise(place.xy / 2.3, 44) * 0.4;
    vec3 grass = mix(vec3(0.05, 0.12, 0.02), vec3(0.17, 0.18, 0.05), patches);
    grass *= mix(0.45, 1.0, smoothstep(4, 50, away)) * (0.8 + 0.4 * fine);
    const vec3 earth = vec3(0.36, 0.26, 0.15) * (0.6 + 0.6 * fine);
    const vec3 base = mix(earth, grass, smoothstep(0.75, 1.3, besidePath(place.xy) + 0.5 * (fine - 0.5)));
    const float sun = max(abs(dot(normal, kSun)), 0);
    color = vec4(shown(hazy(base * (kSkylight + kSunlight * sunny(place.xy) * (0.25 + sun)), place)), 1);
}

// SPDX-License-Identifier: Apache-2.0
// What all shaders of the meadow know: where things are, and the light. Meters; x to the right, y away, z up.
#ifndef MEADOW_GLSL
#define MEADOW_GLSL

// A square of the ground. Whole numbers, so that every device cuts it into the same parts.
struct Tile {
    uvec2 corner;  // eighths of a meter
    uint size;
};
// One for mesh nodes, which have as many workgroups as it says.
struct Patch {
    dispatch_grid uvec3 grid;
    uvec2 corner;
    uint size;
};

const float kUnit = 1.0 / 8;
const uvec2 kEye = uvec2(2048, 40);
const vec3 kEyePlace = vec3(kEye * kUnit, 2.18);  // as high as somebody stands there
const float kPitch = -0.10;
const vec2 kSeen = vec2(0.72, 0.36);  // half of what is in the picture, one meter away

uint hashed(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// From 0 to 1.
float random(uint seed)
{
    return float(hashed(seed) >> 8) / 16777216;
}

// From 0 to 1, smooth, with hills one apart.
float noise(vec2 at, uint seed)
{
    const ivec2 corner = ivec2(floor(at));
    const vec2 part = smoothstep(vec2(0), vec2(1), fract(at));
    float corners[4];
    for (int i = 0; i < 4; ++i) {
        const uvec2 place = uvec2(corner + ivec2(i & 1, i >> 1));
        corners[i] = random(seed + place.x + 7919u * place.y);
    }
    return mix(mix(corners[0], corners[1], part.x), mix(corners[2], corners[3], part.x), part.y);
}

// How far the path is.
float besidePath(vec2 place)
{
    const float middle = kEye.x * kUnit + 1.2 + 5 * sin(place.y / 13) * smoothstep(0, 60, place.y) + place.y * 0.05;
    return abs(place.x - middle) / (0.9 + 0.004 * place.y);
}

float groundHeight(vec2 place)
{
    const float far = smoothstep(25, 330, place.y);
    return 3 * noise(place / 34, 11) + 0.7 * noise(place / 9, 12) + 34 * far * (0.25 + 0.75 * noise(place / 95, 13));
}

// Depth is larger where things are nearer.
vec4 project(vec3 place)
{
    const vec3 way = place - kEyePlace;
    const float away = way.y * cos(kPitch) + way.z * sin(kPitch);
    const float up = way.z * cos(kPitch) - way.y * sin(kPitch);
    return vec4(way.x / kSeen.x, -up / kSeen.y, 0.1, away);
}

const vec3 kSun = normalize(vec3(-0.46, 0.86, 0.165));
const vec3 kSunlight = vec3(1.75, 1.32, 0.80);
const vec3 kSkylight = vec3(0.26, 0.36, 0.50);

// Of the sun's light, what clouds let through.
float sunny(vec2 place)
{
    return mix(0.22, 1, smoothstep(0.36, 0.62, noise(place / vec2(38, 24) + 5, 14)));
}

vec3 skyColor(vec3 way)
{
    const float up = max(way.z, 0);
    const vec3 sky = mix(vec3(0.50, 0.60, 0.66), vec3(0.05, 0.19, 0.56), 1 - exp(-8 * up));
    const float toSun = max(dot(way, kSun), 0);
    return sky + vec3(1.0, 0.56, 0.20) * (0.30 * pow(toSun, 6) + 0.35 * pow(toSun, 40) + 1.6 * pow(toSun, 500));
}

// As it is seen from the eye through the air between.
vec3 hazy(vec3 color, vec3 place)
{
    const vec3 way = place - kEyePlace;
    const vec3 flat_way = normalize(vec3(way.xy, 0.02 * length(way.xy)));
    return mix(skyColor(flat_way) * vec3(0.72, 0.80, 0.88), color, exp(-0.0030 * length(way)));
}

// For a screen.
vec3 shown(vec3 color)
{
    color *= 0.80;
    color = color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14);
    return pow(clamp(color, 0, 1), vec3(1 / 2.2));
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A tree from nothing but its push constants: a trunk, and parts in the number that the draw has vertices for.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tree.glsl"

layout(constant_id = 0) const uint kKind = kFir;
layout(push_constant) uniform Push { Tree tree; };
layout(location = 0) out vec3 color;

const float kTurn = 6.2831853;

// Meters beside and above the foot of the tree.
vec2 quad(const uint vertex, const float width, const float height)
{
    const vec2 corners[6] = vec2[](vec2(-1, 0), vec2(1, 0), vec2(1, 1), vec2(-1, 0), vec2(1, 1), vec2(-1, 1));
    return corners[vertex] * vec2(width, height);
}

// Each layer has a dark and a light half.
vec2 fir(const uint vertex, const uint part)
{
    float low = 0.12 + 0.055 * float(part);
    float width = 0.24 * (1.0 - 0.06 * float(part));
    bool isRight = vertex >= 3u;
    color = mix(vec3(0.05, 0.18, 0.12), vec3(0.12, 0.32, 0.20), isRight ? 0.9 : 0.2);
    uint corner = vertex % 3u;
    return corner == 0u ? vec2(0.0, low) : corner == 1u ? vec2(isRight ? width : -width, low) : vec2(0.0, low + 0.22);
}

vec2 broadleaf(const uint vertex, const uint part)
{
    const float kCorners = 5.0;
    float turn = kTurn * (float(part % 5u) + float(vertex)) / kCorners;
    float ring = float(part / 5u);
    vec2 middle = vec2(0.16 * (random(tree.seed * 8u + part / 5u) - 0.5), 0.55 + 0.14 * ring);
    color = mix(vec3(0.30, 0.38, 0.10), vec3(0.62, 0.50, 0.16), random(tree.seed) * 0.7 + 0.1 * float(part % 5u < 2u));
    return vertex == 0u ? middle : middle + 0.24 * vec2(cos(turn), 0.8 * sin(turn));
}

void main()
{
    uint vertex = gl_VertexIndex;
    vec2 at;
    if (vertex < 6u) {
        color = vec3(0.25, 0.18, 0.13);
        at = quad(vertex, 0.02, 0.5);
    } else if (kKind == kFir) {
        at = fir((vertex - 6u) % 6u, (vertex - 6u) / 6u);
    } else {
        at = broadleaf((vertex - 6u) % 3u, (vertex - 6u) / 3u);
    }
    color *= 0.8 + 0.4 * random(tree.seed + 31u);
    color = mix(kHaze, color, exp(-0.022 * tree.place.y));
    vec3 eye = vec3(tree.place.x + at.x * tree.size, 6.0 - at.y * tree.size, tree.place.y);
    gl_Position = vec4(eye.x / 1.1, 1.8 * eye.y / 1.1 - 0.25 * eye.z, 0.005 * eye.z * eye.z, eye.z);
}

// SPDX-License-Identifier: Apache-2.0
// Attributes of all shapes: a vector, one per instance, one of another binding, an array, one that begins at a
// later component. Numbers that are rounded are told as the integers that they stand for.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"

layout(constant_id = 0) const float kScale = 0.0;

layout(location = 0) out uint hash;

#ifdef FLOAT
#define VECTOR vec4
#define PAIR vec2
#elif defined(SIGNED)
#define VECTOR ivec4
#define PAIR ivec2
#else
#define VECTOR uvec4
#define PAIR uvec2
#endif

layout(location = 0) in VECTOR whole;
layout(location = 1) in VECTOR ofInstance;
layout(location = 2) in vec3 bound;
layout(location = 3) in PAIR several[2];
layout(location = 5, component = 1) in PAIR later;

uint bitsOf(float value)
{
    return kScale == 0.0 ? floatBitsToUint(value) : uint(int(roundEven(value * kScale)));
}

uint bitsOf(int value)
{
    return uint(value);
}

uint bitsOf(uint value)
{
    return value;
}

void main()
{
    uint h = mixed(uint(gl_VertexIndex), uint(gl_InstanceIndex));
    h = mixed(h, uint(gl_BaseVertex));
    for (int i = 0; i < 4; ++i)
        h = mixed(mixed(h, bitsOf(whole[i])), bitsOf(ofInstance[i]));
    for (int i = 0; i < 2; ++i)
        h = mixed(mixed(mixed(h, bitsOf(several[0][i])), bitsOf(several[1][i])), bitsOf(later[i]));
    hash = mixed(h, floatBitsToUint(bound.x));
    gl_Position = vec4(float(gl_VertexIndex % 8) / 4.0 - 0.875, 0.125, 0.0, 1.0);
    gl_PointSize = 1.0;
}

// SPDX-License-Identifier: Apache-2.0
// Push constants of every kind of type, as wholes, by part and by an index that is not known.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "tell.glsl"

layout(local_size_x = 4) in;

layout(buffer_reference, scalar) buffer Word
{
    uint word;
};

struct Part
{
    vec3 position;
    int weight;
};

layout(push_constant, scalar) uniform Push
{
    vec4 color;                     // 0
    layout(row_major) mat3x2 rows;  // 16: two rows of three
    mat2x3 columns;                 // 40
    uint64_t big;                   // 64
    Word where;                     // 72
    Part parts[2];                  // 80
    u16vec2 pair;                   // 112
    int16_t small;                  // 116
    uint8_t bytes[2];               // 118
    float16_t halves[2];            // 120
    float last;                     // 124
} push;

uint hashOf(Part p)
{
    return mixed(mixed(floatBitsToUint(p.position.x), floatBitsToUint(p.position.y)),
                 mixed(floatBitsToUint(p.position.z), uint(p.weight)));
}

void main()
{
    const uint lane = gl_LocalInvocationID.x;
    uint h = gl_GlobalInvocationID.x;
    for (uint i = 0u; i < 4u; ++i)
        h = mixed(h, floatBitsToUint(push.color[i]));
    h = mixed(h, floatBitsToUint(push.color[lane % 4u]));
    const mat3x2 rows = push.rows;
    const mat2x3 columns = push.columns;
    for (uint i = 0u; i < 6u; ++i)
    {
        h = mixed(h, floatBitsToUint(rows[i % 3u][i / 3u]));
        h = mixed(h, floatBitsToUint(columns[i % 2u][i / 2u]));
    }
    h = mixed(h, floatBitsToUint(push.rows[lane % 3u].y));
    h = mixed(h, floatBitsToUint(push.columns[lane % 2u][lane % 3u]));
    h = mixed(h, uint(push.big));
    h = mixed(h, uint(push.big >> 32));
    const uvec2 where = uvec2(push.where);
    h = mixed(mixed(h, where.x), where.y);
    h = mixed(h, hashOf(push.parts[0]));
    h = mixed(h, hashOf(push.parts[(lane + gl_WorkGroupID.x) % 2u]));
    h = mixed(h, uint(push.pair.x) * 3u + uint(push.pair.y));
    h = mixed(h, uint(int(push.small)));
    h = mixed(h, uint(push.bytes[0]) * 7u + uint(push.bytes[1]));
    h = mixed(h, uint(float16BitsToUint16(push.halves[0])) * 7u + uint(float16BitsToUint16(push.halves[1])));
    h = mixed(h, floatBitsToUint(push.last));
    tell(h);
}

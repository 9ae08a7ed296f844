// SPDX-License-Identifier: Apache-2.0
// A point for each vertex of a draw: at the pixel that the draw begins at and those behind it.
// MR_BUFFERS: the vertex buffer has the pixels. MR_FLOOR: what a draw has lies in memory, by its number.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(constant_id = 0) const uint kSalt = 0;

struct Record {
    uint pixel;
    uint color;
};
#ifdef MR_FLOOR
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Records { Record v[]; };
layout(push_constant, scalar) uniform Push { Records records; uint first; };
#else
layout(push_constant, scalar) uniform Push { Record record; };
#endif
#ifdef MR_BUFFERS
layout(location = 0) in uint vertex_pixel;
#endif
layout(location = 0) flat out uint color;

void main()
{
#ifdef MR_FLOOR
    Record record = records.v[first + gl_DrawID];
#endif
#ifdef MR_BUFFERS
    uint pixel = vertex_pixel;
#else
    uint pixel = record.pixel + gl_VertexIndex;
#endif
    vec2 at = vec2(pixel % 1024u, pixel / 1024u) + 0.5;
    gl_Position = vec4(at / vec2(512.0, 256.0) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    color = record.color + pixel + kSalt;
}

// SPDX-License-Identifier: Apache-2.0
// A workgroup writes the words of its sequence. MR_FLOOR: what a workgroup has lies in memory, by its number.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(constant_id = 0) const uint kSalt = 0;
layout(local_size_x = 4) in;

struct Record {
    uint pixel;
    uint color;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Out { uint v[]; };
#ifdef MR_FLOOR
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Records { Record v[]; };
layout(push_constant, scalar) uniform Push { Records records; Out words; };
#else
layout(push_constant, scalar) uniform Push { Record record; Out words; };
#endif

void main()
{
#ifdef MR_FLOOR
    Record record = records.v[gl_WorkGroupID.x];
#endif
    uint pixel = record.pixel + gl_LocalInvocationIndex;
    words.v[pixel] = record.color + pixel + kSalt;
}

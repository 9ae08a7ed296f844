// SPDX-License-Identifier: Apache-2.0
// Copies a buffer, each invocation 64 bytes in four parts that lie apart, so that neighbors touch what is side by side.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 256) in;

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Parts { uvec4 v[]; };
layout(push_constant, scalar) uniform Push { Parts from; Parts to; };

void main()
{
    uint at = gl_WorkGroupID.x * 1024u + gl_LocalInvocationIndex;
    for (uint i = 0u; i < 4u; ++i)
        to.v[at + 256u * i] = from.v[at + 256u * i];
}

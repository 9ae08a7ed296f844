#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Lists of known length: an entry for each word (or each 8 words, GRIDS); then (ADD) what it says.
#include "shape.glsl"
layout(local_size_x = 256) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Inputs { Input v[]; };
layout(push_constant, scalar) uniform Arguments { Words sums; Inputs inputs; Pairs list; uint count; };
#ifdef GRIDS
#define EACH 8
#else
#define EACH 1
#endif

void main()
{
    const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
#ifdef ADD
    if (i < count * EACH) {
        const uvec2 item = list.v[i / EACH];
        atomicAdd(sums.v[item.x + i % EACH], item.y);
    }
#else
    if (i < count) {
        const uint each = 64 / EACH;
        list.v[i] = uvec2(inputs.v[i / each].offset + i % each * EACH, inputs.v[i / each].increment);
    }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// First shader of a dispatch.
#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = MR_INVOCATIONS) in;  // in front of what asks for gl_WorkGroupSize

#include "device/begin_dispatch.glsl"
#include "device/count_inputs.glsl"

layout(push_constant, scalar) uniform Arguments { BeginArguments a; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    bool may = mr_may_begin(a.graph, a.graphId);
    if (a.when == kBeginsAgain && (!may || MR_HEADER(a.graph).again == kBoundsLeft))
        return;
    mr_begin_slots(a, may, i, step);
    mr_begin_streams(a, may, i, step);
    mr_begin_levels(a, may, i, step);
    mr_begin_feed(a, may, i, step);
    mr_begin_header(a, may, i);
    if (a.when == kBeginsCounting && may && gl_WorkGroupID.x == 0u)
        mr_count_inputs(a);
}

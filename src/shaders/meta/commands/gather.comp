// SPDX-License-Identifier: Apache-2.0
// Generated commands whose parts are in several streams, in front of all other kernels: an invocation for each sequence
// puts its record together.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/commands.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { GatherArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Steps { GatherStep v[]; };

uint follow(const uint low, const uint high)
{
    if ((low | high) == 0u)
        return kNoMember;
    return Words(uint64_t(low) | (uint64_t(high) << 32)).v[0];
}

void main()
{
    uint sequence = gl_GlobalInvocationID.x;
    uint count = a.maxSequenceCount;
    if (a.sequenceCount != uint64_t(0))
        count = min(count, Words(a.sequenceCount).v[0]);
    if (sequence >= count)
        return;
    uint number = sequence;
    if (a.sequenceIndices != uint64_t(0))
        number = Words(a.sequenceIndices).v[sequence];
    Words record = Words(a.records + uint64_t(sequence) * uint64_t(a.stride));
    for (uint i = 0u; i < a.stepCount; ++i) {
        GatherStep one = Steps(a.steps).v[i];
        Words source = Words(one.source + uint64_t(number) * uint64_t(one.stride));
        uint first = source.v[0];
        if (one.kind == kGatherCopy) {
            for (uint w = 0u; w < one.words; ++w)
                record.v[one.target + w] = source.v[w];
        } else if (one.kind == kGatherMask) {
            record.v[one.target] = first & one.from;
        } else if (one.kind == kGatherFollow) {
            record.v[one.target] = follow(first, source.v[1]);
        } else if (first == one.from) {
            record.v[one.target] = one.to;
        }
    }
}

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

#include "meta/commands/pipeline_places.glsl"

void main()
{
    uint sequence = gl_GlobalInvocationID.x;
    uint count = a.maxSequenceCount;
    if (a.sequenceCount != uint64_t(0))
        count = min(count, Words(a.sequenceCount).v[0]);
    if (sequence >= count)
        return;
    Words record = Words(a.records + uint64_t(sequence) * uint64_t(a.stride));
    uint number = sequence;
    if (a.sequenceIndices != uint64_t(0))
        number = sequence < a.indexCount ? Words(a.sequenceIndices).v[sequence] : 0xffffffffu;
    // Of what is not there nothing runs.
    if (number >= a.numberCount) {
        for (uint w = 0u; w < a.stride / 4u; ++w)
            record.v[w] = 0u;
        return;
    }
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
            uint64_t address = uint64_t(first) | (uint64_t(source.v[1]) << 32);
            record.v[one.target] = numberOf(Places(a.places), a.placeCount, address);
        } else if (first == one.from) {
            record.v[one.target] = one.to;
        }
    }
}

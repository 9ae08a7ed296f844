// SPDX-License-Identifier: Apache-2.0
// Generated commands, setting "trace": counts executions and sequences for the host, and where sequences choose, an
// invocation for each counts it for its pipeline.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/commands.h"
#include "abi/tally.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { TallyArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Counters { TallyCounters head; uint v[]; };

#include "meta/commands/records.glsl"

void main()
{
    Counters counters = Counters(a.counters);
    uint sequence = gl_GlobalInvocationID.x;
    uint count = sequenceCount();
    if (sequence == 0u) {
        atomicAdd(counters.head.executions, 1u);
        atomicAdd(counters.head.sequences, count);
    }
    if (a.setOffset != kNoExecutionSet && sequence < count)
        atomicAdd(counters.v[min(pipelineOf(recordOf(sequence)), a.pipelineCount)], 1u);
}

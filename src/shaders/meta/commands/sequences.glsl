// SPDX-License-Identifier: Apache-2.0
// What the kernels for generated commands share: which pipeline each sequence of a block is for, and its workgroups.
#extension GL_GOOGLE_include_directive : require
#include "abi/commands.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { SortArguments a; };

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
#ifndef MR_SUMS
#define MR_SUMS
#endif
// Where one workgroup hands them from invocation to invocation, MR_SUMS is coherent.
layout(buffer_reference, scalar, buffer_reference_align = 8) MR_SUMS buffer Sums { BlockSum v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Tables { SequenceTable v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Entries { SequenceEntry v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Dispatches { DispatchCommand v[]; };

#include "meta/commands/draws.glsl"

const uint kNoPipeline = 0xffffffffu;

shared uint s_pipelines[kBlockSequences];
shared uint s_groups[kBlockSequences];

// 0 for a sequence that has no work, and for one that has more than 2^32 - 1 workgroups. Draws count as workgroups do.
uint groupsOf(const uint64_t record)
{
    if (a.maxDrawCount != 0u)
        return drawsOf(record);
    Words command = Words(record + uint64_t(a.actionOffset));
    uint high_plane;
    uint plane;
    umulExtended(command.v[0], command.v[1], high_plane, plane);
    uint high;
    uint groups;
    umulExtended(plane, command.v[2], high, groups);
    return (high_plane | high) != 0u ? 0u : groups;
}

// Fills the shared arrays for a block. Sequences that do not run have no pipeline.
void readBlock(const uint block)
{
    uint own = gl_LocalInvocationIndex;
    uint sequence = block * kBlockSequences + own;
    s_pipelines[own] = kNoPipeline;
    s_groups[own] = 0u;
    if (sequence < sequenceCount()) {
        uint64_t record = recordOf(sequence);
        uint pipeline = pipelineOf(record);
        uint groups = pipeline < a.pipelineCount ? groupsOf(record) : 0u;
        if (groups != 0u) {
            s_pipelines[own] = pipeline;
            s_groups[own] = groups;
        }
    }
    barrier();
}

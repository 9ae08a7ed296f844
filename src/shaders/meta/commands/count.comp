// SPDX-License-Identifier: Apache-2.0
// Generated dispatches, first kernel: a workgroup per block counts what the block has for each pipeline.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "meta/commands/sequences.glsl"

void main()
{
    uint block = gl_WorkGroupID.x;
    readBlock(block);
    for (uint pipeline = gl_LocalInvocationIndex; pipeline < a.pipelineCount; pipeline += gl_WorkGroupSize.x) {
        BlockSum sum = BlockSum(0u, 0u);
        for (uint i = 0u; i < kBlockSequences; ++i)
            if (s_pipelines[i] == pipeline) {
                ++sum.sequences;
                sum.groups += s_groups[i];
            }
        Sums(a.sums).v[pipeline * a.blockCount + block] = sum;
    }
}

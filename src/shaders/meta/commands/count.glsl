// SPDX-License-Identifier: Apache-2.0
// What a block has for each pipeline. Behind readBlock().

void countBlock(const uint block)
{
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

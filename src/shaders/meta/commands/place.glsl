// SPDX-License-Identifier: Apache-2.0
// The entries of a block's sequences, and a part of the tables and the dispatches of the pipelines. Behind readBlock(),
// and behind what adds up the blocks.

void placeEntry(const uint block)
{
    uint own = gl_LocalInvocationIndex;
    uint pipeline = s_pipelines[own];
    if (pipeline == kNoPipeline)
        return;
    Sums sums = Sums(a.sums);
    BlockSum front = sums.v[pipeline * a.blockCount + block];
    uint position = front.sequences;
    uint first_group = front.groups - sums.v[pipeline * a.blockCount].groups;
    for (uint i = 0u; i < own; ++i)
        if (s_pipelines[i] == pipeline) {
            ++position;
            first_group += s_groups[i];
        }
    Entries(a.entries).v[position] = SequenceEntry(block * kBlockSequences + own, first_group);
}

void writeTable(const uint pipeline)
{
    Sums sums = Sums(a.sums);
    BlockSum begin = sums.v[pipeline * a.blockCount];
    BlockSum end = sums.v[(pipeline + 1u) * a.blockCount];
    SequenceTable table;
    table.sequenceCount = end.sequences - begin.sequences;
    table.groupCount = end.groups - begin.groups;
    table.entries = a.entries + uint64_t(begin.sequences) * uint64_t(8);
    Tables(a.tables).v[pipeline] = table;
    // An invocation for each draw.
    uint groups = table.groupCount;
    if (a.maxDrawCount != 0u)
        groups = (groups + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    uint rows = groups / kRowGroups + (groups % kRowGroups != 0u ? 1u : 0u);
    Dispatches(a.dispatches).v[pipeline] =
        DispatchCommand(min(groups, kRowGroups), min(rows, kRows), (rows + kRows - 1u) / kRows, 0u);
}

void placeBlock(const uint block)
{
    placeEntry(block);
    uint writers = a.blockCount * gl_WorkGroupSize.x;
    for (uint pipeline = block * gl_WorkGroupSize.x + gl_LocalInvocationIndex; pipeline < a.pipelineCount;
         pipeline += writers)
        writeTable(pipeline);
}

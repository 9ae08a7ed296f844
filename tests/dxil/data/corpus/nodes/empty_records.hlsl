// -T lib_6_8
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(4, 1, 1)]
void start([MaxRecords(8)] EmptyNodeOutput tick, [MaxRecords(4)] EmptyNodeOutput tock, uint i : SV_GroupIndex)
{
    tick.ThreadIncrementOutputCount(i & 1);
    tock.GroupIncrementOutputCount(3);
}
[Shader("node")] [NodeLaunch("thread")]
void tick() { InterlockedAdd(words[0], 1); }
[Shader("node")] [NodeLaunch("coalescing")] [NumThreads(4, 1, 1)]
void tock([MaxRecords(4)] EmptyNodeInput input, uint i : SV_GroupIndex)
{
    if (i == 0) InterlockedAdd(words[1], input.Count());
}

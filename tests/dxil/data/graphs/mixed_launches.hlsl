// -T lib_6_8
// Nodes of one name with every launch mode, which no graph may have.
RWStructuredBuffer<uint> words : register(u0);
struct Work { uint value; };

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(6, 1, 1)]
void top([MaxRecords(6)] [NodeArraySize(3)] NodeOutputArray<Work> list, uint i : SV_GroupIndex)
{
    ThreadNodeOutputRecords<Work> work = list[i % 3].GetThreadNodeOutputRecords(1);
    work.Get().value = i + 1;
    work.OutputComplete();
}

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(2, 1, 1)] [NodeID("list", 0)]
void first(DispatchNodeInputRecord<Work> work)
{
    InterlockedAdd(words[0], work.Get().value);
}

[Shader("node")] [NodeLaunch("coalescing")] [NumThreads(1, 1, 1)] [NodeID("list", 1)]
void second([MaxRecords(4)] GroupNodeInputRecords<Work> work)
{
    InterlockedAdd(words[1], work[0].value);
}

[Shader("node")] [NodeLaunch("thread")] [NodeID("list", 2)]
void third(ThreadNodeInputRecord<Work> work)
{
    InterlockedAdd(words[2], work.Get().value);
}

// -T lib_6_8
// Of the nodes of one name one has a fixed grid, whatever the record says, and the others that of the record.
struct Work { uint3 grid : SV_DispatchGrid; uint value; };
RWStructuredBuffer<uint> words : register(u0);

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(4, 1, 1)]
void start(uint t : SV_GroupIndex,
    [MaxRecords(12)] [NodeArraySize(3)] [NodeID("work")] NodeOutputArray<Work> work,
    [MaxRecordsSharedWith(work)] [NodeID("work", 1)] NodeOutput<Work> again)
{
    GroupNodeOutputRecords<Work> one = work[0].GetGroupNodeOutputRecords(4);
    one[t].grid = uint3(t, 1, 1);
    one[t].value = 1;
    one.OutputComplete();
    GroupNodeOutputRecords<Work> two = work[1].GetGroupNodeOutputRecords(4);
    two[t].grid = uint3(7, 7, 7);
    two[t].value = 10 * (t + 1);
    two.OutputComplete();
    GroupNodeOutputRecords<Work> three = work[2].GetGroupNodeOutputRecords(1);
    three[0].grid = uint3(2, 1, 1);
    three[0].value = 1000;
    three.OutputComplete();
    GroupNodeOutputRecords<Work> more = again.GetGroupNodeOutputRecords(1);
    more[0].grid = uint3(0, 0, 0);
    more[0].value = 10000;
    more.OutputComplete();
}

#define NODE(n, GRID)                                                                                           \
    [Shader("node")] [NodeLaunch("broadcasting")] GRID [NumThreads(1, 1, 1)] [NodeID("work", n)]                \
    void work##n(DispatchNodeInputRecord<Work> input)                                                           \
    {                                                                                                           \
        InterlockedAdd(words[n], input.Get().value);                                                            \
    }
NODE(0, [NodeMaxDispatchGrid(4, 1, 1)])
NODE(1, [NodeDispatchGrid(3, 1, 1)])
NODE(2, [NodeMaxDispatchGrid(4, 1, 1)])

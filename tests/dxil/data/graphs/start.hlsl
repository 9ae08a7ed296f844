// -T lib_6_8
struct Item { uint value; };
struct Sized { uint3 grid : SV_DispatchGrid; uint value; };

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(4, 1, 1)]
void start(DispatchNodeInputRecord<Sized> input, uint t : SV_GroupIndex, uint group : SV_GroupID,
    [MaxRecords(4)] [NodeID("leaf")] NodeOutput<Item> one,
    [MaxRecords(4)] [NodeArraySize(1)] [NodeID("list")] NodeOutputArray<Item> many)
{
    ThreadNodeOutputRecords<Item> single = one.GetThreadNodeOutputRecords(1);
    single.Get().value = input.Get().value + t;
    single.OutputComplete();
    bool isThere = many[group].IsValid();
    ThreadNodeOutputRecords<Item> listed = many[group].GetThreadNodeOutputRecords(isThere ? 1 : 0);
    if (isThere) { listed.Get().value = 100 * group + t; }
    listed.OutputComplete();
}

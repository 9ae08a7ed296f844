// -T lib_6_8
struct Item { uint value; float weight; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(8, 1, 1)]
void choose([MaxRecords(8)] [NodeID("leaf", 1)] [NodeArraySize(3)] [AllowSparseNodes] NodeOutputArray<Item> leaf, uint i : SV_GroupIndex)
{
    bool valid = leaf[i % 3].IsValid();
    ThreadNodeOutputRecords<Item> r = leaf[i % 3].GetThreadNodeOutputRecords(valid ? 1 : 0);
    if (valid) { r.Get().value = i; r.Get().weight = 0.5f * i; }
    r.OutputComplete();
    if (!valid) InterlockedAdd(words[8], 1);
}
[Shader("node")] [NodeLaunch("coalescing")] [NumThreads(4, 1, 1)] [NodeID("leaf", 1)]
void first([MaxRecords(4)] GroupNodeInputRecords<Item> input, uint i : SV_GroupIndex)
{
    if (i < input.Count()) InterlockedAdd(words[0], input[i].value + (uint)(input[i].weight * 2));
}
[Shader("node")] [NodeLaunch("coalescing")] [NumThreads(4, 1, 1)] [NodeID("leaf", 3)]
void third([MaxRecords(4)] GroupNodeInputRecords<Item> input, uint i : SV_GroupIndex)
{
    if (i < input.Count()) InterlockedAdd(words[1], input[i].value + (uint)(input[i].weight * 2));
}

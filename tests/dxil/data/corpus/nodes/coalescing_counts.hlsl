// -T lib_6_8
struct Item { uint value; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(3, 1, 1)] [NumThreads(16, 1, 1)]
void scatter([MaxRecords(16)] NodeOutput<Item> gather, uint i : SV_GroupIndex, uint3 g : SV_GroupID)
{
    ThreadNodeOutputRecords<Item> r = gather.GetThreadNodeOutputRecords(i & 1);
    if ((i & 1) != 0) r.Get().value = 100 * g.x + i;
    r.OutputComplete();
}
groupshared uint sum;
[Shader("node")] [NodeLaunch("coalescing")] [NumThreads(8, 1, 1)]
void gather([MaxRecords(8)] GroupNodeInputRecords<Item> input, uint i : SV_GroupIndex)
{
    if (i == 0) sum = 0;
    GroupMemoryBarrierWithGroupSync();
    if (i < input.Count()) InterlockedAdd(sum, input[i].value);
    GroupMemoryBarrierWithGroupSync();
    if (i == 0) { InterlockedAdd(words[0], sum); InterlockedAdd(words[1], input.Count()); }
}

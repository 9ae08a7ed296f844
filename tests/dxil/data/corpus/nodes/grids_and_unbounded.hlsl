// -T lib_6_9 -enable-16bit-types
// Grids in the record of other types and places, and an array of nodes without an end; shader model 6.9.
struct Narrow { uint16_t before; uint16_t grid : SV_DispatchGrid; };
struct Deep { uint value; uint16_t first; uint16_t3 grid : SV_DispatchGrid; };
struct Wide { uint64_t value; uint other; uint2 grid : SV_DispatchGrid; };
struct Item { uint value; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(1, 1, 1)]
void start([MaxRecords(1)] NodeOutput<Narrow> narrow, [MaxRecords(1)] NodeOutput<Deep> deep,
           [MaxRecords(1)] NodeOutput<Wide> wide, [MaxRecords(4)] [UnboundedSparseNodes] NodeOutputArray<Item> many,
           uint3 g : SV_GroupID)
{
    GroupNodeOutputRecords<Narrow> a = narrow.GetGroupNodeOutputRecords(1);
    a.Get().before = 500;
    a.Get().grid = (uint16_t)(3 + g.x);
    a.OutputComplete();
    GroupNodeOutputRecords<Deep> b = deep.GetGroupNodeOutputRecords(1);
    b.Get().value = 7;
    b.Get().first = 9;
    b.Get().grid = uint16_t3(2, (uint16_t)(1 + g.x), 2);
    b.OutputComplete();
    GroupNodeOutputRecords<Wide> c = wide.GetGroupNodeOutputRecords(1);
    c.Get().value = 100000000000ull;
    c.Get().other = 1;
    c.Get().grid = uint2(1, 5);
    c.OutputComplete();
    for (uint n = 0; n < 4; n++) {
        uint index = n * n * 100 + g.x;
        if (many[index].IsValid()) {
            GroupNodeOutputRecords<Item> d = many[index].GetGroupNodeOutputRecords(1);
            d.Get().value = index + 1;
            d.OutputComplete();
        } else {
            InterlockedAdd(words[4], 1);
        }
    }
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(8, 1, 1)] [NumThreads(1, 1, 1)]
void narrow(DispatchNodeInputRecord<Narrow> input, uint3 g : SV_GroupID)
{
    InterlockedAdd(words[0], input.Get().before + g.x);
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(2, 2, 2)] [NumThreads(1, 1, 1)]
void deep(DispatchNodeInputRecord<Deep> input, uint3 g : SV_GroupID)
{
    InterlockedAdd(words[1], input.Get().value + input.Get().first + g.x + 10 * g.y + 100 * g.z);
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(1, 6, 1)] [NumThreads(1, 1, 1)]
void wide(DispatchNodeInputRecord<Wide> input, uint3 g : SV_GroupID)
{
    InterlockedAdd(words[2], (uint)(input.Get().value / 1000000000ull) + g.y);
}
[Shader("node")] [NodeLaunch("thread")] [NodeID("many", 100)]
void hundred(ThreadNodeInputRecord<Item> input) { InterlockedAdd(words[3], input.Get().value); }
[Shader("node")] [NodeLaunch("thread")] [NodeID("many", 901)]
void last(ThreadNodeInputRecord<Item> input) { InterlockedAdd(words[3], 3 * input.Get().value); }

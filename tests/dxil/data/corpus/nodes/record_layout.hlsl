// -T lib_6_8 -enable-16bit-types
struct Inner { uint16_t a; uint16_t2 grid : SV_DispatchGrid; float16_t h; };
struct Item { float3 position; Inner inner; uint64_t big; double d; uint tail[2][3]; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(1, 1, 1)]
void start([MaxRecords(2)] NodeOutput<Item> last)
{
    GroupNodeOutputRecords<Item> r = last.GetGroupNodeOutputRecords(2);
    for (uint i = 0; i < 2; i++) {
        Item item;
        item.position = float3(1, 2, 3 + i);
        item.inner.a = (uint16_t)(7 + i);
        item.inner.grid = uint16_t2(1 + i, 2);
        item.inner.h = (float16_t)1.5;
        item.big = ((uint64_t)i << 40) + 9;
        item.d = 0.25 * (i + 1);
        for (uint j = 0; j < 6; j++) item.tail[j / 3][j % 3] = 10 * j + i;
        r[i] = item;
    }
    r.OutputComplete();
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(4, 4, 1)] [NumThreads(1, 1, 1)]
void last(DispatchNodeInputRecord<Item> input, uint3 g : SV_GroupID)
{
    Item item = input.Get();
    uint at = 16 * (uint)(item.position.z - 3.0);
    InterlockedAdd(words[at], 1);
    InterlockedAdd(words[at + 1], g.x + 10 * g.y);
    if (g.x == 0 && g.y == 0) {
        words[at + 2] = (uint)(item.position.x + item.position.y);
        words[at + 3] = item.inner.a;
        words[at + 4] = (uint)(item.inner.h * 2);
        words[at + 5] = (uint)(item.big >> 32);
        words[at + 6] = (uint)(item.d * 8);
        for (uint j = 0; j < 6; j++) words[at + 7 + j] = item.tail[j / 3][j % 3];
    }
}

// -T lib_6_8
struct Row { uint3 grid : SV_DispatchGrid; uint y; };
struct Start { uint rows; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(32, 1, 1)]
void start(DispatchNodeInputRecord<Start> input, [MaxRecords(32)] NodeOutput<Row> row, uint i : SV_GroupIndex)
{
    ThreadNodeOutputRecords<Row> r = row.GetThreadNodeOutputRecords(i < input.Get().rows ? 1 : 0);
    if (i < input.Get().rows) {
        r.Get().grid = uint3(i + 1, 1, 1);
        r.Get().y = i;
    }
    r.OutputComplete();
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(32, 1, 1)] [NumThreads(2, 1, 1)]
void row(DispatchNodeInputRecord<Row> input, uint3 t : SV_DispatchThreadID)
{
    InterlockedAdd(words[input.Get().y], t.x + 1);
}

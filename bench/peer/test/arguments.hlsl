// -T lib_6_8
// Every kind of argument that bench/peer can give to a graph, and two entry points.
struct Weight { uint weight; };
ConstantBuffer<Weight> own : register(b0);  // of the local root signature
cbuffer Constants : register(b1) { uint scale; float red; };
StructuredBuffer<uint> table : register(t0);
RWStructuredBuffer<uint> sums : register(u0);
RWTexture2D<float4> picture : register(u1);

struct Record { uint value; };

// Eight invocations, each of which sends a number of the table.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeIsProgramEntry]
[NodeDispatchGrid(2, 1, 1)]
[NumThreads(4, 1, 1)]
void start(DispatchNodeInputRecord<Record> input, [MaxRecords(4)] NodeOutput<Record> leaf, uint at : SV_DispatchThreadID)
{
    InterlockedAdd(sums[0], input.Get().value * own.weight);
    ThreadNodeOutputRecords<Record> output = leaf.GetThreadNodeOutputRecords(1);
    output.Get().value = table[at] * scale;
    output.OutputComplete();
}

[Shader("node")]
[NodeLaunch("thread")]
[NodeIsProgramEntry]
void leaf(ThreadNodeInputRecord<Record> input)
{
    InterlockedAdd(sums[1], input.Get().value * own.weight);
    picture[uint2(input.Get().value % 64, 1)] = float4(red, 0, 0, 1);
}

// -T lib_6_8
// Each node has arguments of its own, laid out as its local root signature says; all have the global ones.
GlobalRootSignature everywhere = { "RootConstants(num32BitConstants = 1, b0), UAV(u0)" };
LocalRootSignature plain = { "RootConstants(num32BitConstants = 1, b0, space = 1), UAV(u0, space = 1)" };
LocalRootSignature mixed = { "SRV(t0, space = 1), RootConstants(num32BitConstants = 3, b1, space = 1), CBV(b2, space = 1)" };
LocalRootSignature table = { "DescriptorTable(SRV(t0, numDescriptors = 3), UAV(u1, space = 1, numDescriptors = 4), SRV(t4, space = 1)), StaticSampler(s0, space = 1)" };
SubobjectToExportsAssociation a = { "plain", "first" };
SubobjectToExportsAssociation b = { "mixed", "second" };
SubobjectToExportsAssociation c = { "table", "third" };

struct Global { uint factor; };
ConstantBuffer<Global> globals : register(b0);
RWStructuredBuffer<uint> sums : register(u0);
struct One { uint value; };
struct Three { uint3 values; };
struct Four { uint4 values; };
ConstantBuffer<One> one : register(b0, space1);
ConstantBuffer<Three> three : register(b1, space1);
ConstantBuffer<Four> four : register(b2, space1);
RWStructuredBuffer<uint> own : register(u0, space1);
StructuredBuffer<uint> given : register(t0, space1);
RWStructuredBuffer<uint> listed[4] : register(u1, space1);
Texture2D<float4> picture : register(t4, space1);
SamplerState smooth : register(s0, space1);

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(1, 1, 1)]
void start([MaxRecords(3)] EmptyNodeOutput first, [MaxRecords(3)] EmptyNodeOutput second)
{
    first.GroupIncrementOutputCount(3);
    second.GroupIncrementOutputCount(2);
}

[Shader("node")] [NodeLaunch("thread")]
void first()
{
    InterlockedAdd(own[0], one.value * globals.factor);
    InterlockedAdd(sums[0], one.value);
}

[Shader("node")] [NodeLaunch("thread")] [NodeLocalRootArgumentsTableIndex(0)]
void second()
{
    InterlockedAdd(sums[1], given[three.values.x] + three.values.y + four.values.z);
    InterlockedAdd(sums[2], three.values.z);
}

[Shader("node")] [NodeLaunch("thread")]
void third()
{
    listed[2][0] = uint(picture.SampleLevel(smooth, float2(0.5, 0.5), 0).x);
}

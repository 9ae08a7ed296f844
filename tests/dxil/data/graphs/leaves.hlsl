// -T lib_6_8
struct Item { uint value; };
struct Sized { uint3 grid : SV_DispatchGrid; uint value; };
RWStructuredBuffer<uint> words : register(u0);
LocalRootSignature place = { "RootConstants(num32BitConstants = 2, b0, space = 1)" };
SubobjectToExportsAssociation memberHasPlace = { "place", "member" };
struct Place { uint at; uint factor; };
ConstantBuffer<Place> where : register(b0, space1);

[Shader("node")] [NodeLaunch("thread")]
void leaf(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(words[0], input.Get().value);
}

[Shader("node")] [NodeLaunch("thread")] [NodeID("list", 0)]
void member(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(words[where.at], where.factor * input.Get().value);
}

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(1, 1, 1)]
void tap(DispatchNodeInputRecord<Sized> input)
{
    InterlockedAdd(words[1], input.Get().value);
}

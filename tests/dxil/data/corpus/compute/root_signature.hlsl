// -T cs_6_6
// Root constants, root descriptors and a table.
struct Constants { uint4 values; };
ConstantBuffer<Constants> root : register(b0);
ConstantBuffer<Constants> table[1] : register(b1);
struct Pair { uint a; uint b; };
StructuredBuffer<Pair> source : register(t0);
RWStructuredBuffer<Pair> target : register(u0);
RWByteAddressBuffer words : register(u1);
[RootSignature("RootConstants(num32BitConstants=4, b0), UAV(u0), SRV(t0), DescriptorTable(UAV(u1), CBV(b1)), StaticSampler(s0)")]
[numthreads(16, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    Pair p = source[i];
    p.a = p.a * root.values.x + root.values.z;
    p.b += root.values.w;
    target[i] = p;
    words.Store(4 * i, root.values[1] * table[0].values[i % 4] + 8 + i);
}

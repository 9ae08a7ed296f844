// -T cs_6_6
// Resources that are parts of ranges: arrays of descriptors that others share.
ByteAddressBuffer first : register(t2);
ByteAddressBuffer rest[] : register(t3);
StructuredBuffer<uint2> pairs : register(t1);
Texture2D<float4> picture[4] : register(t0, space1);
SamplerState smooth : register(s1);
RWByteAddressBuffer words[2] : register(u3);
[RootSignature("DescriptorTable(UAV(u0, numDescriptors=8), SRV(t0, numDescriptors=unbounded)), DescriptorTable(SRV(t0, space=1, numDescriptors=4)), StaticSampler(s0), StaticSampler(s1)")]
[numthreads(16, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    uint sum = first.Load(4 * i) + rest[NonUniformResourceIndex(i % 4)].Load(0) + pairs[i].y;
    float4 texel = picture[NonUniformResourceIndex(i & 3)].SampleLevel(smooth, float2(i, sum) / 16, 0);
    words[1].Store(4 * i, sum + (uint)texel.x);
}

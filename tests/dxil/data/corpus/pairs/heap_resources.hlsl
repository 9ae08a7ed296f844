// -T cs_6_6
// Buffers, with a counter, and samplers by their place in the heaps.
Texture2D<float4> flat : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = 16 * id.y + id.x;
    StructuredBuffer<uint2> listed = ResourceDescriptorHeap[NonUniformResourceIndex(id.x & 3)];
    RWByteAddressBuffer target = ResourceDescriptorHeap[4];
    RWStructuredBuffer<uint> counted = ResourceDescriptorHeap[7];
    SamplerState plain = SamplerDescriptorHeap[NonUniformResourceIndex(id.y & 1)];
    uint2 pair = listed[n];
    target.Store2(8 * n, pair.yx * 3);
    if (n % 3 == 0) { counted.IncrementCounter(); }
    counted[n] = pair.x + n;
    float4 texel = flat.SampleLevel(plain, (float2(id.xy) + 0.5) / 16, 1);
    words.Store4(16 * n, asuint(texel) + pair.y);
}

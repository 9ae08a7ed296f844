// -T cs_6_6
// Local and static arrays of what lies in the heaps, with indices that differ, and one that changes in a loop.
Texture2D<float4> flat : register(t0);
RWByteAddressBuffer words : register(u0);
static SamplerState samplers[2];
void keep(uint which)
{
    samplers[0] = SamplerDescriptorHeap[which];
    samplers[1] = SamplerDescriptorHeap[1 - which];
}
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = 16 * id.y + id.x;
    StructuredBuffer<uint2> sources[4];
    [loop] for (uint k = 0; k < 4; ++k)
        sources[(k + id.y) & 3] = ResourceDescriptorHeap[NonUniformResourceIndex(3 - k)];
    RWByteAddressBuffer targets[3];
    targets[0] = ResourceDescriptorHeap[4];
    targets[1] = ResourceDescriptorHeap[5];
    targets[2] = ResourceDescriptorHeap[4 + (sources[0][5].x & 1)];
    uint2 pair = 0;
    [loop] for (uint i = 0; i <= (id.x & 3); ++i)
        pair += sources[i][n + i] * (i + 1);
    targets[n % 3].Store2(8 * n, pair);
    keep(id.y & 1);
    float4 texel = flat.SampleLevel(samplers[id.x & 1], (float2(id.xy) + 0.5) / 16, 1);
    words.Store4(16 * n, asuint(texel) + pair.y);
}

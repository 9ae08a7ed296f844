// -T cs_6_6
// Arrays of descriptors, bounded and not, at an index that every lane has its own of.
Texture2D<float4> images[4] : register(t0);
ByteAddressBuffer lists[] : register(t0, space1);
SamplerState samplers[2] : register(s0);
RWTexture2D<float4> targets[3] : register(u1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = 16 * id.y + id.x;
    float2 at = (float2(id.xy) + 0.5) / 16;
    float4 texel = images[NonUniformResourceIndex(n & 3)].SampleLevel(samplers[NonUniformResourceIndex(id.x & 1)], at, 1);
    texel += images[NonUniformResourceIndex(n % 3)].Load(int3(id.xy, 0));
    uint listed = lists[NonUniformResourceIndex(n & 7)].Load(4 * n);
    targets[NonUniformResourceIndex(n % 3)][id.xy] = texel;
    words.Store4(32 * n, asuint(texel));
    words.Store(32 * n + 16, listed + uint(images[1].Load(int3(id.xy, 0)).x));
}

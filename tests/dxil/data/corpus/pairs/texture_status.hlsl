// -T cs_6_7
// What is said of memory beside texels: whether all of it is there. The last layer of t1 is not.
Texture2D<float4> flat : register(t0);
Texture2DArray<uint4> layers : register(t1);
Texture2DArray<float> depths : register(t9);
SamplerState plain : register(s0);
SamplerComparisonState below : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 0.5) / 16;
    float2 corner = (float2(id.xy) + 1) / 16;
    uint status;
    uint there = 0;
    float4 sum = flat.SampleLevel(plain, at, 2, int2(0, 0), status);
    there |= CheckAccessFullyMapped(status) ? 1 : 0;
    sum += flat.Load(int3(id.xy, 0), int2(1, 1), status) * 2;
    there |= CheckAccessFullyMapped(status) ? 2 : 0;
    sum += flat.GatherGreen(plain, corner, int2(1, 0), status) * 3;
    there |= CheckAccessFullyMapped(status) ? 4 : 0;
    sum += flat.SampleGrad(plain, at, float2(0.125, 0), float2(0, 0.125), int2(0, 1), 0, status) * 4;
    there |= CheckAccessFullyMapped(status) ? 8 : 0;
    sum.x += depths.SampleCmpLevelZero(below, float3(at, 2), 0.5, int2(1, 0), status);
    there |= CheckAccessFullyMapped(status) ? 16 : 0;
    uint4 number = layers.Load(int4(id.xy, 1, 0), int2(0, 0), status);
    there |= CheckAccessFullyMapped(status) ? 32 : 0;
    uint4 absent = layers.Load(int4(id.xy, 3, 0), int2(0, 0), status);
    if (CheckAccessFullyMapped(status)) {
        number += absent;
        there |= 64;
    }
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(sum));
    words.Store4(32 * n + 16, number + 1000 * there);
}

// -T cs_6_7
// Depths compared with a number; t9 is a depth image, s1 compares.
Texture2DArray<float> depths : register(t9);
SamplerComparisonState below : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 0.5) / 16;
    float4 one;
    one.x = depths.SampleCmpLevelZero(below, float3(at, 2), 0.5);
    one.y = depths.SampleCmpLevelZero(below, float3(at, 1), 0.25 + at.x / 2, int2(1, 2));
    one.z = depths.SampleCmpLevel(below, float3(at, 0), 0.375, 1);
    one.w = depths.SampleCmpLevel(below, float3(at, 3), 0.625, 2, int2(-1, 0));
    float2 corner = (float2(id.xy) + 1) / 16;
    float4 four = depths.GatherCmp(below, float3(corner, 1), 0.75);
    four += depths.GatherCmp(below, float3(corner, 3), at.y, int2(1, -1)) * 2;
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(one));
    words.Store4(32 * n + 16, asuint(four));
}

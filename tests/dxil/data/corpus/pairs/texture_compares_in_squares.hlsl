// -T cs_6_8
// Depths compared at a level from derivatives, with a bias and from gradients, in squares of four threads.
Texture2DArray<float> depths : register(t9);
SamplerComparisonState below : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 0.5) / 16;
    float2 wide = float2(id.xy) * 0.125;
    float4 one;
    one.x = depths.SampleCmp(below, float3(at, 1), 0.25) + 2 * depths.SampleCmp(below, float3(wide, 2), 0.5, int2(1, -1));
    one.y = depths.SampleCmpBias(below, float3(at, 3), 0.625, 1);
    one.z = depths.SampleCmpBias(below, float3(wide, 0), 0.375, -1, int2(2, 0));
    one.w = depths.SampleCmpGrad(below, float3(at, 1), 0.5, float2(0.125, 0), float2(0, 0.25), int2(0, 1));
    words.Store4(16 * (16 * id.y + id.x), asuint(one));
}

// -T cs_6_7
// Offsets of samples that are not constant, which Vulkan has with VK_KHR_maintenance8.
Texture2D<float4> image : register(t0);
Texture1DArray<float> strips : register(t1);
Texture2D<float> depths : register(t9);
SamplerState plain : register(s0);
SamplerComparisonState below : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(int3 id : SV_DispatchThreadID)
{
    const float2 at = (float2(id.xy) + 0.5) / 16;
    const int2 by = int2(id.x & 7, id.y & 3) - 2;
    float4 sum = image.SampleLevel(plain, at, 0, by) + image.Sample(plain, at, by.yx) * 2;
    sum += image.SampleGrad(plain, at, float2(0.125, 0), float2(0, 0.125), by.xx) * 3;
    sum += strips.SampleLevel(plain, float2(at.x, 2), 1, by.y);
    sum += depths.SampleCmpLevelZero(below, at, 0.5, by);
    words.Store4(16 * (16 * id.y + id.x), asuint(sum));
}

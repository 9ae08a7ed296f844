// -T cs_6_7
// Offsets of samples that are not constant, which Vulkan has with VK_KHR_maintenance8.
Texture2D<float4> image : register(t0);
Texture1DArray<float> line_ : register(t1);
SamplerState plain : register(s0);
SamplerComparisonState compared : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(4, 4, 1)]
void main(int3 id : SV_DispatchThreadID)
{
    const float2 at = float2(id.xy) / 4;
    float4 sum = image.SampleLevel(plain, at, 0, id.xy - 2);
    sum += image.Sample(plain, at, id.yx);
    sum += image.SampleGrad(plain, at, float2(0.1, 0), float2(0, 0.1), id.xx);
    sum += line_.SampleLevel(plain, at, 1, id.y);
    sum += image.SampleCmpLevelZero(compared, at, 0.5, id.xy);
    words.Store4(16 * (4 * id.y + id.x), asuint(sum));
}

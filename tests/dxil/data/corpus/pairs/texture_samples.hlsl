// -T cs_6_6
// Samples with a level or gradients, of every kind of texture.
Texture1D<float4> strip : register(t0);
Texture1DArray<float4> strips : register(t1);
Texture2D<float4> flat : register(t2);
Texture2DArray<float4> layers : register(t3);
Texture3D<float4> solid : register(t4);
TextureCube<float4> cube : register(t5);
TextureCubeArray<float4> cubes : register(t6);
Texture2D<float> single : register(t7);
SamplerState plain : register(s0);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 0.5) / 16;
    float4 first = flat.SampleLevel(plain, at, 0) + flat.SampleLevel(plain, at, 1) * 2;
    first += flat.SampleLevel(plain, at, 2, int2(1, -2)) * 3 + layers.SampleLevel(plain, float3(at, 2), 1);
    first += strip.SampleLevel(plain, at.x, 0) + strips.SampleLevel(plain, float2(at.x, 3), 0, 2) * 2;
    float4 second = solid.SampleLevel(plain, float3(at, 0.3125), 1) + cube.SampleLevel(plain, float3(at - 0.5, 1), 0);
    second += cubes.SampleLevel(plain, float4(1, at - 0.5, 1), 1) * 2 + single.SampleLevel(plain, at.yx, 0);
    second += flat.SampleGrad(plain, at, float2(0.125, 0), float2(0, 0.125));
    second += layers.SampleGrad(plain, float3(at, 1), float2(0.0625, 0), float2(0, 0.0625), int2(1, 0)) * 3;
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(first));
    words.Store4(32 * n + 16, asuint(second));
}

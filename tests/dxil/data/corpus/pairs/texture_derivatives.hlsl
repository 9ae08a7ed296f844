// -T cs_6_6
// Levels from derivatives, and those themselves, in squares of four threads.
Texture2D<float4> flat : register(t0);
TextureCube<float4> cube : register(t1);
SamplerState plain : register(s0);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 0.5) / 16;
    float2 wide = float2(id.xy) * 0.125;
    float4 sum = flat.Sample(plain, at) + flat.Sample(plain, wide, int2(1, -1)) * 2 + flat.SampleBias(plain, at, 1) * 3;
    sum += cube.Sample(plain, float3(at - 0.5, 1)) + flat.SampleBias(plain, wide, -1, int2(2, 0)) * 5;
    float2 levels = float2(flat.CalculateLevelOfDetail(plain, wide), flat.CalculateLevelOfDetailUnclamped(plain, wide * 8));
    float curve = float(id.x * id.x + id.y * id.y * id.x);
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(sum + levels.x + levels.y));
    words.Store4(32 * n + 16, asuint(float4(ddx_fine(curve), ddy_fine(curve), ddx_coarse(curve), ddy(curve))));
}

// -T cs_6_6
// Four texels at once, of each component, with offsets of every kind; with four offsets the compiler gathers four times.
Texture2D<float4> flat : register(t0);
Texture2DArray<uint4> layers : register(t1);
TextureCube<float4> cube : register(t2);
SamplerState plain : register(s0);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (float2(id.xy) + 1) / 16;
    float4 sum = flat.Gather(plain, at) + flat.GatherGreen(plain, at, int2(1, -1)) * 2;
    sum += flat.GatherBlue(plain, at, int2(id.x & 3, 1)) * 3 + cube.GatherRed(plain, float3(at - 0.4375, 1));
    sum += flat.GatherAlpha(plain, at, int2(1, 0), int2(2, 3), int2(-4, 1), int2(0, -2)) * 5;
    uint4 number = layers.GatherRed(plain, float3(at, 1)) + layers.GatherGreen(plain, float3(at, 3), int2(2, 2)) * 1000;
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(sum));
    words.Store4(32 * n + 16, number);
}

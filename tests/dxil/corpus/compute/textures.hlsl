// -T cs_6_7
// Loads, samples, gathers and stores of textures, and their sizes.
Texture2D<float4> flat : register(t0);
Texture2DArray<float> layers : register(t1);
Texture3D<int4> solid : register(t2);
TextureCube<float4> cube : register(t3);
Texture2DMS<float4> many : register(t4);
Texture1D<uint> line1 : register(t5);
RWTexture2D<float4> target : register(u1);
RWTexture2D<uint> counts : register(u2);
RWTexture3D<int> field : register(u3);
SamplerState smooth : register(s0);
SamplerComparisonState compare : register(s1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 uv = (float2)id.xy / 8;
    float4 sum = flat.SampleLevel(smooth, uv, 1) + flat.Sample(smooth, uv, int2(1, -2)) + flat.SampleBias(smooth, uv, 0.5);
    sum += flat.SampleGrad(smooth, uv, 0.1, 0.2) + flat.Load(int3(id.xy, 0), int2(1, 1)) + flat.Gather(smooth, uv);
    sum += flat.GatherGreen(smooth, uv, int2(id.x & 3, 1));
    sum += cube.SampleLevel(smooth, float3(uv, 1), 0) + many.Load(id.xy, 2);
    sum.x += layers.SampleCmpLevelZero(compare, float3(uv, 2), 0.5) + layers.SampleCmp(compare, float3(uv, 1), 0.25);
    sum += layers.GatherCmp(compare, float3(uv, 1), 0.75);
    sum.y += flat.CalculateLevelOfDetail(smooth, uv) + flat.CalculateLevelOfDetailUnclamped(smooth, uv);
    int4 i = solid.Load(int4(id, 0));
    uint width, height, levels;
    flat.GetDimensions(1, width, height, levels);
    uint layerWidth, layerHeight, elements;
    layers.GetDimensions(layerWidth, layerHeight, elements);
    uint status;
    sum += flat.SampleLevel(smooth, uv, 2, int2(0, 0), status);
    if (CheckAccessFullyMapped(status)) sum.z += 1;
    target[id.xy] = sum;
    InterlockedAdd(counts[id.xy], width + height + levels + elements + line1[id.x]);
    InterlockedMin(field[id], i.x - 5);
    words.Store(0, (uint)ddx(sum.x));
}

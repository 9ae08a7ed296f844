// -T cs_6_6
// Texels by number, of every kind of texture.
Texture1D<float4> strip : register(t0);
Texture1DArray<uint> strips : register(t1);
Texture2D<float4> flat : register(t2);
Texture2DArray<int4> layers : register(t3);
Texture3D<uint4> solid : register(t4);
Texture2DMS<float4> many : register(t5);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 sum = strip.Load(int2(id.x, 0)) + strip.Load(int2(id.x / 2, 1));
    sum += flat.Load(int3(id.xy, 0)) * 2 + flat.Load(int3(id.xy / 4, 2)) + flat.mips[1][id.xy / 2];
    sum += flat.Load(int3(id.x / 2, id.y, 0), int2(3, -1) + int2(0, 2)) * 3 + flat[id.yx] + many.Load(id.xy, 2);
    int4 number = layers.Load(int4(id.xy, id.x & 3, 0)) - int4(solid.Load(int4(id.xy & 7, id.y, 0)));
    number += int(strips.Load(int3(id.x, id.y & 3, 0)));
    uint n = 16 * id.y + id.x;
    words.Store4(32 * n, asuint(sum));
    words.Store4(32 * n + 16, asuint(number));
}

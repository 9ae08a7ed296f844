// -T cs_6_6
// Texels read, written and added to.
RWByteAddressBuffer words : register(u0);
RWTexture1D<float4> strip : register(u1);
RWTexture2D<float4> flat : register(u2);
RWTexture2DArray<uint4> layers : register(u3);
RWTexture3D<int> solid : register(u4);
RWTexture2D<uint> counts : register(u5);
RWTexture2D<int> extremes : register(u6);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = 16 * id.y + id.x;
    float4 before = flat[id.xy];
    flat[id.xy] = before.yxwz + float4(1, 2, 3, id.x);
    if (id.y == 0) { strip[id.x] = strip[id.x] * 2; }
    uint4 layer = layers[uint3(id.yx, 2)];
    layers[uint3(id.yx, 2)] = layer.zwxy + id.x;
    layers[uint3(id.xy, 1)] = n;
    solid[uint3(id.xy & 7, id.x >> 3)] += (int)n - 100;
    uint old;
    InterlockedAdd(counts[id.xy & 1], n);
    InterlockedOr(counts[uint2(2, id.y)], 1u << id.x);
    InterlockedMax(counts[uint2(3, 0)], n * 7, old);
    InterlockedMin(extremes[uint2(1, 0)], -(int)n);
    InterlockedMax(extremes[uint2(2, 0)], 3 - (int)n);
    InterlockedMin(solid[uint3(id.xy & 7, 4 + (id.x >> 3))], (int)n - 5);
    uint2 own = uint2(id.x, 8 + id.y);
    InterlockedCompareExchange(counts[own], counts[own] + (n & 1), 777, old);
    words.Store4(32 * n, asuint(before));
    words.Store4(32 * n + 16, layer);
}

// -T cs_6_6
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint2 a = source.Load2(8 * id.x);
    uint3 b = source.Load3(4 * id.x + 16);
    uint4 c = source.Load4(16 * (id.x & 3));
    words.Store2(32 * id.x, a + b.xy);
    words.Store3(32 * id.x + 8, b * 3);
    words.Store3(32 * id.x + 20, uint3(c.x + c.y, c.z, c.w));
}

// -T cs_6_6 -enable-16bit-types
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint16_t a = source.Load<uint16_t>(2 * id.x);
    words.Store<uint16_t>(2 * (127 - id.x), (uint16_t)(a * (uint16_t)3));
}

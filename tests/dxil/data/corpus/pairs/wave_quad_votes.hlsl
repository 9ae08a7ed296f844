// -T cs_6_7
// What any or all of four lanes say.
RWByteAddressBuffer words : register(u0);
ByteAddressBuffer source : register(t0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint value = source.Load(4 * id.x);
    words.Store(4 * id.x, (QuadAny(value > 300) ? 1 : 0) + (QuadAll(value < 350) ? 2 : 0) + (QuadAny(value == 7) ? 4 : 0));
}

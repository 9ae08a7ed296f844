// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID)
{
    uint p = source[i] * 0x89abcdef, q = ~source[(i + 1) & 63] * 0x12345677;
    uint2 one = AddUint64(uint2(p, q), uint2(q, p));
    uint4 two = AddUint64(uint4(p, 1, p, 2), uint4(p, 3, ~p, 4));
    words[i] = one.x ^ one.y * 3 ^ two.x * 5 ^ two.y * 7 ^ two.z * 11 ^ two.w * 13;
}

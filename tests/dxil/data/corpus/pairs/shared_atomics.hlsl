// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
groupshared uint low, high, bits, all, odd;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    if (l == 0) { low = 0xffffffffu; high = 0; bits = 0; all = 0xffffffffu; odd = 0; }
    GroupMemoryBarrierWithGroupSync();
    InterlockedMin(low, source[i]);
    InterlockedMax(high, source[i]);
    InterlockedOr(bits, source[i]);
    InterlockedAnd(all, source[i] | 1);
    InterlockedXor(odd, source[i]);
    GroupMemoryBarrierWithGroupSync();
    words[i] = low + high * 3 + bits * 5 + all * 7 + odd * 11;
}

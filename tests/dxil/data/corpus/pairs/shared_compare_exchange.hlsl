// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
groupshared uint kept[4];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    if (l < 4) { kept[l] = 0; }
    GroupMemoryBarrierWithGroupSync();
    uint old;
    InterlockedCompareExchange(kept[l & 3], 0, 5, old);
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(kept[l & 3], old == 0 ? 100 : 1);
    GroupMemoryBarrierWithGroupSync();
    words[i] = kept[l & 3] + source[i];
}

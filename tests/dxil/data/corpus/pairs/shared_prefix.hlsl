// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
groupshared uint kept[2][64];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    kept[0][l] = source[i];
    GroupMemoryBarrierWithGroupSync();
    uint from = 0;
    for (uint step = 1; step < 64; step <<= 1) {
        kept[1 - from][l] = kept[from][l] + (l >= step ? kept[from][l - step] : 0u);
        from = 1 - from;
        GroupMemoryBarrierWithGroupSync();
    }
    words[i] = kept[from][l];
}

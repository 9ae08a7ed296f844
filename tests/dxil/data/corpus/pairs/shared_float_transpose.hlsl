// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
groupshared float kept[8][8];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    kept[l & 7][l >> 3] = float(source[i]) * 0.5f;
    GroupMemoryBarrierWithGroupSync();
    words[i] = uint(kept[l >> 3][l & 7] * 4.0f);
}

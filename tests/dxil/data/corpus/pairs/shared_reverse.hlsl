// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
groupshared uint kept[64];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    kept[l] = source[i] * 3;
    GroupMemoryBarrierWithGroupSync();
    words[i] = kept[63 - l];
}

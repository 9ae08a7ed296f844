// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    InterlockedAdd(words[512], source[i]);
    InterlockedMax(words[513], source[i]);
    InterlockedOr(words[514], 1u << (source[i] & 31));
    InterlockedXor(words[515], source[i]);
    InterlockedAdd(words[520 + (i & 7)], 1);
    words[i] = source[i] + 1;
}

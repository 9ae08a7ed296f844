// -T cs_6_6
RWStructuredBuffer<uint> words : register(u0);
[numthreads(4, 2, 3)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID, uint index : SV_GroupIndex)
{
    words[group.x * 24 + index] = id.x + id.y * 10 + id.z * 100 + local.x * 1000 + local.y * 10000 + local.z * 100000 + group.x * 1000000;
}

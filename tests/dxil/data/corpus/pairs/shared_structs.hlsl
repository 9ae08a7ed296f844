// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
struct Item { uint key; uint parts[2]; };
groupshared Item kept[32];
[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    kept[l].key = source[id.x];
    kept[l].parts[l & 1] = l;
    kept[l].parts[1 - (l & 1)] = 7;
    GroupMemoryBarrierWithGroupSync();
    words[id.x] = kept[31 - l].key + kept[l ^ 1].parts[0] * 100 + kept[l ^ 2].parts[1];
}

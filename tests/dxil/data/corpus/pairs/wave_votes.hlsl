// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    bool c = source[i] > 10;
    words[i] = (WaveActiveAnyTrue(c) ? 1u : 0u) | (WaveActiveAllTrue(c) ? 2u : 0u) | (WaveActiveAllEqual(source[i] >> 8) ? 4u : 0u) | (WaveIsFirstLane() ? 8u : 0u);
}

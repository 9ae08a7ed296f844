// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    float v = float(source[i] & 15);
    words[i] = uint(WaveActiveSum(v)) + uint(WaveActiveMax(v) * 4.0f) * 100 + uint(WavePrefixSum(v)) * 10000;
}

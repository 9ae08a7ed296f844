// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    uint v = source[i], r = 0;
    if ((v & 1) != 0) { r = WaveActiveSum(v); } else { r = WaveActiveMax(v) + 1000; }
    words[i] = r;
}

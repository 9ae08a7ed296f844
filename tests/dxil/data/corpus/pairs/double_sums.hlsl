// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    double d = double(source[i]) * 0.25;
    d = d * d + double(source[i + 1]);
    uint low, high;
    asuint(d, low, high);
    words[2 * i] = low;
    words[2 * i + 1] = high;
}

// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    float f = float(int(source[i]) - 200) * 0.25f;
    words[i] = f32tof16(f) + asuint(f16tof32(source[i] | 0x3c00)) * 3;
}

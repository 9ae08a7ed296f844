// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    words[i] = dot4add_u8packed(source[i], source[i + 1] * 77, 5u) + uint(dot4add_i8packed(source[i] * 3, source[i + 2], -9)) * 3;
}

// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    uint4 v = unpack_u8u32(source[i] * 12345);
    int4 s = unpack_s8s32(source[i] * 999);
    words[i] = pack_u8(v.wzyx) ^ (uint)(s.x + s.y * 3 + s.z * 5 + s.w * 7);
}

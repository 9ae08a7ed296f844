// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID)
{
    uint i = id.x, l = local.x;
    float4x4 m = float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    float4 v = float4(source[i] & 15, source[i + 1] & 15, source[i + 2] & 15, 1);
    float4 r = mul(m, v);
    words[i] = uint(r.x + r.y * 3 + r.z * 5 + r.w * 7);
}

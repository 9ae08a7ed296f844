// -T cs_6_6
cbuffer Constants : register(b0)
{
    uint a;
    uint3 b;
    uint2 c;
    uint2 d;
    uint e[3];
    uint f;
};
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words[id.x] = a + b.x * 3 + b.z * 5 + c.y * 7 + d.x * 11 + e[id.x % 3] * 13 + f * 17;
}

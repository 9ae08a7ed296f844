// -T cs_6_6
struct Item { float3x2 m; };
StructuredBuffer<Item> source : register(t0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words[id.x] = asuint(source[id.x].m[id.x % 3][1]) ^ asuint(source[id.x].m[2].x);
}

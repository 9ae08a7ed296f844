// -T cs_6_6
StructuredBuffer<uint> source : register(t0);
RWStructuredBuffer<int> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    int v = (int)source[id.x] - 300;
    InterlockedMin(words[512], v);
    InterlockedMax(words[513], v);
    InterlockedAdd(words[514], v);
}

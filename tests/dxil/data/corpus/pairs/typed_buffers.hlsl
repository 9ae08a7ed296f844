// -T cs_6_6
Buffer<uint> source : register(t0);
RWBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words[id.x] = source[127 - id.x] * 3;
    if (id.x >= 120) { InterlockedAdd(words[512], 2); }
}

// -T cs_6_6
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words[words.IncrementCounter()] = 9;
    if (id.x == 200) { words[900] = words.DecrementCounter(); }
}

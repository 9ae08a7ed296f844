// -T lib_6_8
// Calls what helper.hlsl defines.
struct Item { uint value; };
RWStructuredBuffer<uint> words : register(u0);
uint weigh(uint value, float3 scale);

[Shader("node")] [NodeLaunch("thread")]
void call(ThreadNodeInputRecord<Item> input)
{
    InterlockedAdd(words[0], weigh(input.Get().value, float3(2, 3, 0.5)));
}

// -T lib_6_8
// Two arrays without an end and without registers: no space has room for both.
ByteAddressBuffer one[];
ByteAddressBuffer two[];
RWStructuredBuffer<uint> words : register(u0);

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(1, 1, 1)]
void top()
{
    words[0] = one[1].Load(0) + two[1].Load(0);
}

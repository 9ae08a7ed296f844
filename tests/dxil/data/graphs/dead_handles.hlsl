// -T lib_6_8
// The compiler keeps indices in place of handles in `list`, and leaves the array of handles behind, which nobody reads.
RWStructuredBuffer<uint> words : register(u0);
StructuredBuffer<uint> first : register(t0);
StructuredBuffer<uint> second : register(t1);

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(4, 1, 1)]
void top(uint i : SV_GroupIndex)
{
    StructuredBuffer<uint> list[3];
    [loop] for (uint k = 0; k < 3; ++k)
        list[k] = first;
    uint sum = 0;
    [loop] for (uint j = 0; j < 3; ++j)
        sum = sum * 10 + list[j][i] + second[j];
    words[i] = sum;
}

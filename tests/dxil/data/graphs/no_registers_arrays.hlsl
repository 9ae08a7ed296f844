// -T lib_6_8
// Arrays without registers: they fit between those that have one, and the one without an end lies behind all.
ByteAddressBuffer open[];
StructuredBuffer<uint> single;
RWStructuredBuffer<uint> words : register(u0);
RWStructuredBuffer<uint> three[3];
RWStructuredBuffer<uint> taken : register(u5);
RWStructuredBuffer<uint> behind;
RWStructuredBuffer<uint> apart[] : register(space1);

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(1, 1, 1)]
void top()
{
    words[0] = single[0];
    for (uint i = 0; i < 3; i++)
        three[i][0] = 20 + i;
    taken[0] = 33;
    behind[0] = 44;
    apart[3][0] = open[2].Load(0);
}

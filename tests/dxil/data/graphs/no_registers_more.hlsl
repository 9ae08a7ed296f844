// -T lib_6_8
// Names that the other library has too, in another order: `words` and `behind` are its own.
RWStructuredBuffer<uint> behind;
RWStructuredBuffer<uint> further;
RWStructuredBuffer<uint> words : register(u0);

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(1, 1, 1)]
void more()
{
    behind[1] = 66;
    further[1] = 77;
    words[1] = 88;
}

// -T lib_6_8
// Resources without registers, beside some that have one: of all of them each is another.
struct Pair { StructuredBuffer<uint> from; RWStructuredBuffer<uint> to; };
Pair left, right;
RWStructuredBuffer<uint> words : register(u0);
RWStructuredBuffer<uint> taken : register(u2);
RWStructuredBuffer<uint> behind;
RWStructuredBuffer<uint> apart : register(space1);
uint factor;

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(1, 1, 1)]
void top()
{
    left.to[0] = left.from[0] + 1;
    right.to[0] = right.from[0] * factor;
    words[0] = 11;
    taken[0] = 33;
    behind[0] = 44;
    apart[0] = 55;
}

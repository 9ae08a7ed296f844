// -T lib_6_8 -force-zero-store-lifetimes
// The compiler stores zeros in all of `history` where its life begins and ends.
RWStructuredBuffer<uint> words : register(u0);

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(4, 1, 1)]
void top(uint i : SV_GroupIndex)
{
    uint sum = 0;
    [loop] for (uint k = 0; k < 3; ++k)
    {
        uint history[8];
        for (uint j = 0; j < 8; ++j)
            history[j] = j * k + i;
        [loop] for (uint t = 0; t < i + 2; ++t)
            sum += history[(t * 3 + k) & 7];
    }
    words[i] = sum;
}

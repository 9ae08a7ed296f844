// -T lib_6_8
// Typed buffers, of which no format is known: numbers of 64 bits are texels of two of 32.
Buffer<float4> floats : register(t0);
Buffer<uint64_t> longs : register(t1);
RWBuffer<half2> sums : register(u0);
RWBuffer<uint64_t> doubled : register(u1);
RWBuffer<int> most : register(u2);

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(2, 1, 1)]
void typed(uint at : SV_GroupThreadID)
{
    sums[at] = half2(floats[at].xy + floats[at].zw);
    doubled[at] = longs[at] + longs[at];
    InterlockedMax(most[0], int(at) - 2);
    doubled[at + 2] = doubled[at] + 1;
}

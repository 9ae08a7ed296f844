// -T ms_6_6
// How many vertices there are is found by a wave and groupshared memory; what is left is drawn.
struct Vertex
{
    float4 position : SV_Position;
    nointerpolation uint value : VALUE;
};
groupshared uint total;
float4 corner(uint cell, uint c)
{
    return float4(float2(cell % 8 + (c & 1), cell / 8 % 8 + (c >> 1)) / 4 - 1, 0, 1);
}
[numthreads(32, 1, 1)]
[outputtopology("triangle")]
void main(uint thread : SV_GroupIndex, uint group : SV_GroupID, out vertices Vertex v[128], out indices uint3 t[64])
{
    uint cell = group * 32 + thread;
    bool isVisible = (cell * 7 + cell / 8) % 4 != 0;
    if (thread == 0) {
        total = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    uint first = 0;
    uint count = WaveActiveCountBits(isVisible);
    if (WaveIsFirstLane()) {
        InterlockedAdd(total, count, first);
    }
    uint place = WaveReadLaneFirst(first) + WavePrefixCountBits(isVisible);
    GroupMemoryBarrierWithGroupSync();
    SetMeshOutputCounts(4 * total, 2 * total);
    if (isVisible) {
        for (uint c = 0; c < 4; c++) {
            v[4 * place + c].position = corner(cell, c);
            v[4 * place + c].value = cell + 1;
        }
        t[2 * place] = uint3(0, 1, 2) + 4 * place;
        t[2 * place + 1] = uint3(1, 3, 2) + 4 * place;
    }
}

// -T ms_6_5
// Triangles over the cells of an 8x8 image with flat values of their vertices, and a buffer beside.
struct Vertex
{
    float4 position : SV_Position;
    nointerpolation uint value : VALUE;
};
RWByteAddressBuffer words : register(u0);
float4 corner(uint cell, uint c)
{
    return float4(float2(cell % 8 + (c & 1), cell / 8 % 8 + (c >> 1)) / 4 - 1, 0, 1);
}
[numthreads(16, 1, 1)]
[outputtopology("triangle")]
void main(uint thread : SV_GroupThreadID, uint group : SV_GroupID, out vertices Vertex v[64], out indices uint3 t[32])
{
    SetMeshOutputCounts(64, 32);
    uint cell = group * 16 + thread;
    for (uint c = 0; c < 4; c++) {
        v[4 * thread + c].position = corner(cell, c);
        v[4 * thread + c].value = cell * 3 + 1;
    }
    t[2 * thread] = uint3(0, 1, 2) + 4 * thread;
    t[2 * thread + 1] = uint3(1, 3, 2) + 4 * thread;
    words.InterlockedAdd(0, cell);
}

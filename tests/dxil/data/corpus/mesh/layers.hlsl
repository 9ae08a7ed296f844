// -T ms_6_5
// A layer for each primitive.
struct Primitive
{
    nointerpolation uint value : VALUE;
    uint layer : SV_RenderTargetArrayIndex;
};
float4 corner(uint cell, uint c)
{
    return float4(float2(cell % 8 + (c & 1), cell / 8 % 8 + (c >> 1)) / 4 - 1, 0, 1);
}
[numthreads(32, 1, 1)]
[outputtopology("triangle")]
void main(uint thread : SV_GroupIndex, uint group : SV_GroupID, out vertices float4 v[128] : SV_Position,
          out indices uint3 t[64], out primitives Primitive p[64])
{
    SetMeshOutputCounts(128, 64);
    uint cell = group * 32 + thread;
    for (uint c = 0; c < 4; c++) {
        v[4 * thread + c] = corner(cell, c);
    }
    for (uint i = 2 * thread; i < 2 * thread + 2; i++) {
        p[i].value = cell + 1;
        p[i].layer = cell % 3 == 0;
    }
    t[2 * thread] = uint3(0, 1, 2) + 4 * thread;
    t[2 * thread + 1] = uint3(1, 3, 2) + 4 * thread;
}

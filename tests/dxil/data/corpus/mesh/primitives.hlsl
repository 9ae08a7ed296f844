// -T ms_6_5
// Values of primitives, some of which are culled, beside a value of vertices. Each cell has two triangles over its middle.
struct Vertex
{
    float4 position : SV_Position;
    nointerpolation uint value : VALUE;
};
struct Primitive
{
    nointerpolation uint2 pair : PAIR;
    bool cull : SV_CullPrimitive;
};
[numthreads(32, 1, 1)]
[outputtopology("triangle")]
void main(uint thread : SV_GroupIndex, uint group : SV_GroupID, out vertices Vertex v[192], out indices uint3 t[64],
          out primitives Primitive p[64])
{
    SetMeshOutputCounts(192, 64);
    uint cell = group * 32 + thread;
    for (uint c = 0; c < 6; c++) {
        float2 at = float2(c == 2 || c == 5 ? 0.5 : c % 3, c == 2 || c == 3 || c == 4);
        at.x = c == 3 ? 0 : c == 4 ? 1 : at.x;
        v[6 * thread + c].position = float4((at + float2(cell % 8, cell / 8)) / 4 - 1, 0, 1);
        v[6 * thread + c].value = 100 * c;
    }
    for (uint second = 0; second < 2; second++) {
        uint i = 2 * thread + second;
        // The first vertex says what the triangle's flat value is.
        t[i] = (second == 0 ? uint3(0, 1, 2) : uint3(4, 3, 5)) + 6 * thread;
        p[i].pair = uint2(cell, second);
        p[i].cull = cell % 3 == second || cell % 5 == 0;
    }
}

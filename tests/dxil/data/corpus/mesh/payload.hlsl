// -T ms_6_5
// Draws the cells that a payload names: one workgroup each.
struct Payload
{
    uint cells[32];
    float scale;
    uint2 offset;
};
struct Vertex
{
    float4 position : SV_Position;
    nointerpolation uint value : VALUE;
};
float4 corner(uint cell, uint c)
{
    return float4(float2(cell % 8 + (c & 1), cell / 8 % 8 + (c >> 1)) / 4 - 1, 0, 1);
}
[numthreads(4, 1, 1)]
[outputtopology("triangle")]
void main(uint c : SV_GroupIndex, uint group : SV_GroupID, in payload Payload payload, out vertices Vertex v[4],
          out indices uint3 t[2])
{
    SetMeshOutputCounts(4, 2);
    uint cell = payload.cells[group];
    v[c].position = corner(cell, c);
    v[c].value = (uint)(cell * payload.scale) + payload.offset.x + payload.offset.y;
    if (c < 2) {
        t[c] = c == 0 ? uint3(0, 1, 2) : uint3(1, 3, 2);
    }
}

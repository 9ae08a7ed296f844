// -T ms_6_5
// Two elements of clip distances, which are one array in Vulkan: whole cells are in front of or behind a plane.
struct Vertex
{
    float4 position : SV_Position;
    float3 first : SV_ClipDistance0;
    nointerpolation uint value : VALUE;
    float second : SV_ClipDistance1;
};
float4 corner(uint cell, uint c)
{
    return float4(float2(cell % 8 + (c & 1), cell / 8 % 8 + (c >> 1)) / 4 - 1, 0, 1);
}
[numthreads(32, 1, 1)]
[outputtopology("triangle")]
void main(uint thread : SV_GroupIndex, uint group : SV_GroupID, out vertices Vertex v[128], out indices uint3 t[64])
{
    SetMeshOutputCounts(128, 64);
    uint cell = group * 32 + thread;
    for (uint c = 0; c < 4; c++) {
        v[4 * thread + c].position = corner(cell, c);
        v[4 * thread + c].first = float3(1, cell % 5 == 0 ? -1 : 1, 1);
        v[4 * thread + c].second = cell % 7 == 0 ? -1 : 1;
        v[4 * thread + c].value = cell + 1;
    }
    t[2 * thread] = uint3(0, 1, 2) + 4 * thread;
    t[2 * thread + 1] = uint3(1, 3, 2) + 4 * thread;
}

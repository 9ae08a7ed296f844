// -T ms_6_6 -enable-16bit-types
// Outputs for which the software driver of Mesa 25.0 has no feature: halves, short integers, shading rates; the view.
struct Vertex
{
    float4 position : SV_Position;
    float2 left : LEFT;
    half4 halves : HALF;
    nointerpolation uint16_t number : NUMBER;
};
struct Primitive
{
    uint rate : SV_ShadingRate;
};
[numthreads(3, 1, 1)]
[outputtopology("triangle")]
void main(uint i : SV_GroupIndex, uint view : SV_ViewID, out vertices Vertex v[3], out indices uint3 t[1],
          out primitives Primitive p[1])
{
    SetMeshOutputCounts(3, 1);
    v[i].position = float4(i, view, 0, 1);
    v[i].left = i;
    v[i].halves = half4(i, 1, 2, 3);
    v[i].number = (uint16_t)i;
    if (i == 0) {
        t[0] = uint3(0, 1, 2);
        p[0].rate = 5;
    }
}

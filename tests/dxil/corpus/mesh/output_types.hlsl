// -T ms_6_6 -enable-16bit-types
// Outputs of all types: arrays, halves, short integers, several in one register; viewports, shading rates, numbers.
struct Vertex
{
    float4 position : SV_Position;
    float2 pairs[3] : PAIR;
    half4 halves : HALF;
    nointerpolation uint16_t number : NUMBER;
    float2 left : LEFT;
    float2 right : RIGHT;
    float cull[2] : SV_CullDistance;
};
struct Primitive
{
    uint id : SV_PrimitiveID;
    uint viewport : SV_ViewportArrayIndex;
    uint rate : SV_ShadingRate;
    nointerpolation int3 numbers : NUMBERS;
    nointerpolation bool flag : FLAG;
};
[numthreads(3, 1, 1)]
[outputtopology("triangle")]
void main(uint i : SV_GroupIndex, uint view : SV_ViewID, out vertices Vertex v[3], out indices uint3 t[1],
          out primitives Primitive p[1])
{
    SetMeshOutputCounts(3, 1);
    v[i].position = float4(i, view, 0, 1);
    for (uint r = 0; r < 3; r++) {
        v[i].pairs[r] = float2(r, i);
    }
    v[i].halves = half4(i, 1, 2, 3);
    v[i].number = (uint16_t)i;
    v[i].left = i;
    v[i].right = 2;
    v[i].cull[0] = 1;
    v[i].cull[1] = i;
    if (i == 0) {
        t[0] = uint3(0, 1, 2);
        p[0].id = 77;
        p[0].viewport = 1;
        p[0].rate = 5;
        p[0].numbers = int3(-1, 2, 3);
        p[0].flag = true;
    }
}

// -T ms_6_5
// Outputs of all types of 32 bits: arrays, several in one register, cull distances; viewports, numbers, truth.
struct Vertex
{
    float4 position : SV_Position;
    float2 pairs[3] : PAIR;
    float2 left : LEFT;
    float2 right : RIGHT;
    nointerpolation int number : NUMBER;
    float cull[2] : SV_CullDistance;
};
struct Primitive
{
    uint id : SV_PrimitiveID;
    uint viewport : SV_ViewportArrayIndex;
    nointerpolation int3 numbers : NUMBERS;
    nointerpolation bool flag : FLAG;
};
[numthreads(3, 1, 1)]
[outputtopology("triangle")]
void main(uint i : SV_GroupIndex, uint group : SV_GroupID, out vertices Vertex v[3], out indices uint3 t[1],
          out primitives Primitive p[1])
{
    SetMeshOutputCounts(3, 1);
    // Corners of a triangle over all eight pixels each way, in pixels.
    float2 at = 16 * float2(i & 1, i >> 1);
    v[i].position = float4(at / 4 - 1, 0, 1);
    for (uint r = 0; r < 3; r++) {
        v[i].pairs[r] = at + float2(10 * r, 20 * r);
    }
    v[i].left = float2(at.y, 3);
    v[i].right = float2(4, at.x);
    v[i].number = -5 - (int)group;
    // Groups 2 and 3 are outside of one plane with all of their corners, group 1 with one corner only.
    v[i].cull[0] = group == 2 ? -1 : 1;
    v[i].cull[1] = group == 3 || (group == 1 && i == 0) ? -0.5 : 2;
    if (i == 0) {
        t[0] = uint3(0, 1, 2);
        p[0].id = 7 + group;
        p[0].viewport = group & 1;
        p[0].numbers = int3(-1 - (int)group, 2, 3 + group);
        p[0].flag = group == 1;
    }
}

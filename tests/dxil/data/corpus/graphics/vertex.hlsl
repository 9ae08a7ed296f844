// -T vs_6_2 -enable-16bit-types
// Inputs and outputs of a vertex shader; its numbers count from what the draw says.
struct Vertex
{
    float4 position : SV_Position;
    float2 pairs[2] : PAIR;
    nointerpolation uint number : NUMBER;
    half4 halves : HALF;
    float2 first : SV_ClipDistance0;
    float second : SV_ClipDistance1;
};
Vertex main(float3 position : POSITION, uint2 ids : IDS, uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Vertex v;
    v.position = float4(position, 1);
    v.pairs[0] = position.xy;
    v.pairs[1] = position.yz;
    v.number = vertex * 10 + instance + ids.y;
    v.halves = (half4)v.position;
    v.first = position.xy;
    v.second = position.z;
    return v;
}

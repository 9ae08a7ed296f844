// -T ps_6_2
// Inputs of a pixel shader by how they are interpolated, two targets and a depth; some pixels are discarded.
struct Pixel
{
    float4 position : SV_Position;
    float2 smooth_pair : PAIR;
    nointerpolation uint number : NUMBER;
    noperspective centroid float straight : STRAIGHT;
    bool isFront : SV_IsFrontFace;
};
struct Targets
{
    float4 color : SV_Target0;
    uint2 numbers : SV_Target1;
    float depth : SV_Depth;
};
Targets main(Pixel pixel)
{
    if (pixel.straight < 0.25) {
        discard;
    }
    Targets targets;
    targets.color = float4(pixel.smooth_pair, ddx(pixel.straight), pixel.position.w);
    targets.numbers = uint2(pixel.number, pixel.isFront ? WaveGetLaneIndex() : 7);
    targets.depth = pixel.position.z;
    return targets;
}

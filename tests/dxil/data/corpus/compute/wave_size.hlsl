// -T cs_6_8
// A range of wave sizes, of which the container tells a driver.
RWByteAddressBuffer words : register(u0);
Texture2D<float4> images[] : register(t2, space3);
[WaveSize(4, 64, 8)]
[numthreads(8, 4, 2)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint number = id.x + 8 * id.y + 32 * id.z;
    words.Store2(8 * number, uint2(WaveGetLaneCount(), asuint(images[NonUniformResourceIndex(id.y)].Load(uint3(0, 0, 0)).x)));
}

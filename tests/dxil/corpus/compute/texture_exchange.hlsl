// -T cs_6_6
// Texels of floats exchanged.
RWTexture2D<float> image : register(u0);
RWBuffer<float> list : register(u1);
RWByteAddressBuffer words : register(u2);
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float before, other;
    InterlockedExchange(image[uint2(id.x & 1, 0)], float(id.x) + 1.0f, before);
    InterlockedExchange(list[id.x & 1], float(id.x) + 2.0f, other);
    words.Store2(8 * id.x, asuint(float2(before, other)));
}

// -T cs_6_6
// Texels of floats exchanged.
RWTexture2D<float> image : register(u1);
RWByteAddressBuffer words : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float before;
    InterlockedExchange(image[id.xy], float(id.x) + 0.5f, before);
    words.Store(4 * (16 * id.y + id.x), asuint(before));
}

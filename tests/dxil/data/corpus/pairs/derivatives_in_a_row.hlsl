// -T cs_6_6
// Groups of one dimension: four threads in a row are a square.
RWByteAddressBuffer words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 curve = float2(id.x * id.x, (id.x & 3) * 7 + id.x / 3);
    words.Store4(16 * id.x, asuint(float4(ddx_fine(curve), ddy_fine(curve))));
}

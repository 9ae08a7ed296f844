// -T cs_6_6
// Where the samples of a texel are, by Direct3D's standard patterns.
Texture2DMS<float4> image : register(t0);
Texture2DMSArray<float4> layers : register(t1);
RWByteAddressBuffer words : register(u0);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words.Store2(16 * id.x, asuint(image.GetSamplePosition(id.x)));
    words.Store2(16 * id.x + 8, asuint(layers.GetSamplePosition(id.x)));
}

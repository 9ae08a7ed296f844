// -T cs_6_6
// How large textures of every kind are.
Texture1D<float4> strip : register(t0);
Texture1DArray<uint> strips : register(t1);
Texture2D<float4> flat : register(t2);
Texture2DArray<int4> layers : register(t3);
Texture3D<uint4> solid : register(t4);
TextureCube<float4> cube : register(t5);
TextureCubeArray<float4> cubes : register(t6);
Texture2DMS<float4> many : register(t7);
RWTexture2D<float4> target : register(u1);
RWTexture3D<float4> field : register(u2);
RWByteAddressBuffer words : register(u0);
[numthreads(3, 1, 1)]
void main(uint i : SV_GroupIndex, uint3 group : SV_GroupID)
{
    if (group.x != 0) { return; }
    uint w, h, d, l, at = 160 * i;
    strip.GetDimensions(i, w, l); words.Store2(at, uint2(w, l));
    strips.GetDimensions(i, w, d, l); words.Store3(at + 8, uint3(w, d, l));
    flat.GetDimensions(i, w, h, l); words.Store3(at + 20, uint3(w, h, l));
    layers.GetDimensions(i, w, h, d, l); words.Store4(at + 32, uint4(w, h, d, l));
    solid.GetDimensions(i, w, h, d, l); words.Store4(at + 48, uint4(w, h, d, l));
    cube.GetDimensions(i, w, h, l); words.Store3(at + 64, uint3(w, h, l));
    cubes.GetDimensions(i, w, h, d, l); words.Store4(at + 76, uint4(w, h, d, l));
    many.GetDimensions(w, h, l); words.Store3(at + 92, uint3(w, h, l));
    target.GetDimensions(w, h); words.Store2(at + 104, uint2(w, h));
    field.GetDimensions(w, h, d); words.Store3(at + 112, uint3(w, h, d));
    flat.GetDimensions(w, h); words.Store2(at + 124, uint2(w, h));
}

// -T cs_6_6
struct Light { float4 place; float3 color; float power; };
struct Scene { Light lights[3]; float4x4 view; };
ConstantBuffer<Scene> scene : register(b0);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x % 3;
    words[id.x] = asuint(scene.lights[i].place.z) ^ asuint(scene.lights[i].color.y) * 3 ^ asuint(scene.lights[2].power) ^ asuint(scene.view[1][id.x & 3]);
}

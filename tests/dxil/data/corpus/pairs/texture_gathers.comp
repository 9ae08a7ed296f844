#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D flat_;
layout(set = 0, binding = 1001) uniform utexture2DArray layers;
layout(set = 0, binding = 1002) uniform textureCube cube;
layout(set = 0, binding = 3000) uniform sampler plain;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    vec2 at = (vec2(id.xy) + 1) / 16;
    vec4 sum = textureGather(sampler2D(flat_, plain), at, 0);
    sum += textureGatherOffset(sampler2D(flat_, plain), at, ivec2(1, -1), 1) * 2;
    sum += textureGatherOffset(sampler2D(flat_, plain), at, ivec2(id.x & 3, 1), 2) * 3;
    sum += textureGather(samplerCube(cube, plain), vec3(at - 0.4375, 1), 0);
    vec4 apart;
    apart.x = textureGatherOffset(sampler2D(flat_, plain), at, ivec2(1, 0), 3).x;
    apart.y = textureGatherOffset(sampler2D(flat_, plain), at, ivec2(2, 3), 3).y;
    apart.z = textureGatherOffset(sampler2D(flat_, plain), at, ivec2(-4, 1), 3).z;
    apart.w = textureGatherOffset(sampler2D(flat_, plain), at, ivec2(0, -2), 3).w;
    sum += apart * 5;
    uvec4 number = textureGather(usampler2DArray(layers, plain), vec3(at, 1), 0);
    number += textureGatherOffset(usampler2DArray(layers, plain), vec3(at, 3), ivec2(2, 2), 1) * 1000;
    int n = 16 * id.y + id.x;
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(sum[c]);
        words[8 * n + 4 + c] = number[c];
    }
}

#version 460
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D flat_;
layout(set = 0, binding = 1001) uniform utexture2DArray layers;
layout(set = 0, binding = 1009) uniform texture2DArray depths;
layout(set = 0, binding = 3000) uniform sampler plain;
layout(set = 0, binding = 3001) uniform samplerShadow below;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
void main()
{
    ivec2 id = ivec2(gl_GlobalInvocationID.xy);
    vec2 at = (vec2(id) + 0.5) / 16;
    vec2 corner = (vec2(id) + 1) / 16;
    uint there = 0;
    vec4 texel;
    vec4 sum = vec4(0);
    there |= sparseTexelsResidentARB(sparseTextureLodARB(sampler2D(flat_, plain), at, 2.0, texel)) ? 1 : 0;
    sum += texel;
    there |= sparseTexelsResidentARB(sparseTexelFetchOffsetARB(sampler2D(flat_, plain), id, 0, ivec2(1, 1), texel)) ? 2 : 0;
    sum += texel * 2;
    there |= sparseTexelsResidentARB(sparseTextureGatherOffsetARB(sampler2D(flat_, plain), corner, ivec2(1, 0), texel, 1)) ? 4 : 0;
    sum += texel * 3;
    there |= sparseTexelsResidentARB(sparseTextureGradOffsetARB(sampler2D(flat_, plain), at, vec2(0.125, 0), vec2(0, 0.125),
                                                                ivec2(0, 1), texel)) ? 8 : 0;
    sum += texel * 4;
    // GLSL has no such function for a depth with a level: the level is 0 by gradients of 0.
    float depth;
    there |= sparseTexelsResidentARB(sparseTextureGradOffsetARB(sampler2DArrayShadow(depths, below), vec4(at, 2, 0.5), vec2(0),
                                                                vec2(0), ivec2(1, 0), depth)) ? 16 : 0;
    sum.x += depth;
    uvec4 number;
    there |= sparseTexelsResidentARB(sparseTexelFetchARB(usampler2DArray(layers, plain), ivec3(id, 1), 0, number)) ? 32 : 0;
    uvec4 absent;
    if (sparseTexelsResidentARB(sparseTexelFetchARB(usampler2DArray(layers, plain), ivec3(id, 3), 0, absent))) {
        number += absent;
        there |= 64;
    }
    int n = 16 * id.y + id.x;
    words[2 * n] = floatBitsToUint(sum);
    words[2 * n + 1] = number + 1000 * there;
}

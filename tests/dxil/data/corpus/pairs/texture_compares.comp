#version 460
#extension GL_EXT_texture_shadow_lod : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1009) uniform texture2DArray depths;
layout(set = 0, binding = 3001) uniform samplerShadow below;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    vec2 at = (vec2(id.xy) + 0.5) / 16;
    vec4 one;
    one.x = textureLod(sampler2DArrayShadow(depths, below), vec4(at, 2, 0.5), 0);
    one.y = textureLodOffset(sampler2DArrayShadow(depths, below), vec4(at, 1, 0.25 + at.x / 2), 0, ivec2(1, 2));
    one.z = textureLod(sampler2DArrayShadow(depths, below), vec4(at, 0, 0.375), 1);
    one.w = textureLodOffset(sampler2DArrayShadow(depths, below), vec4(at, 3, 0.625), 2, ivec2(-1, 0));
    vec2 corner = (vec2(id.xy) + 1) / 16;
    vec4 four = textureGather(sampler2DArrayShadow(depths, below), vec3(corner, 1), 0.75);
    four += textureGatherOffset(sampler2DArrayShadow(depths, below), vec3(corner, 3), at.y, ivec2(1, -1)) * 2;
    int n = 16 * id.y + id.x;
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(one[c]);
        words[8 * n + 4 + c] = floatBitsToUint(four[c]);
    }
}

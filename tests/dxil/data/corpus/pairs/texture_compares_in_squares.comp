#version 460
#extension GL_EXT_texture_shadow_lod : require
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 1009) uniform texture2DArray depths;
layout(set = 0, binding = 3001) uniform samplerShadow below;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
void main()
{
    ivec2 id = ivec2(gl_GlobalInvocationID.xy);
    vec2 at = (vec2(id) + 0.5) / 16;
    vec2 wide = vec2(id) * 0.125;
    vec4 one;
    one.x = texture(sampler2DArrayShadow(depths, below), vec4(at, 1, 0.25));
    one.x += 2 * textureOffset(sampler2DArrayShadow(depths, below), vec4(wide, 2, 0.5), ivec2(1, -1));
    one.y = texture(sampler2DArrayShadow(depths, below), vec4(at, 3, 0.625), 1.0);
    one.z = textureOffset(sampler2DArrayShadow(depths, below), vec4(wide, 0, 0.375), ivec2(2, 0), -1.0);
    one.w = textureGradOffset(sampler2DArrayShadow(depths, below), vec4(at, 1, 0.5), vec2(0.125, 0), vec2(0, 0.25),
                              ivec2(0, 1));
    words[16 * id.y + id.x] = floatBitsToUint(one);
}

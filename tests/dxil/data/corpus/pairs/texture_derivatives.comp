#version 460
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 1000) uniform texture2D flat_;
layout(set = 0, binding = 1001) uniform textureCube cube;
layout(set = 0, binding = 3000) uniform sampler plain;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
void main()
{
    ivec2 id = ivec2(gl_GlobalInvocationID.xy);
    vec2 at = (vec2(id) + 0.5) / 16;
    vec2 wide = vec2(id) * 0.125;
    vec4 sum = texture(sampler2D(flat_, plain), at) + textureOffset(sampler2D(flat_, plain), wide, ivec2(1, -1)) * 2;
    sum += texture(sampler2D(flat_, plain), at, 1) * 3;
    sum += texture(samplerCube(cube, plain), vec3(at - 0.5, 1));
    sum += textureOffset(sampler2D(flat_, plain), wide, ivec2(2, 0), -1) * 5;
    vec2 levels = vec2(textureQueryLod(sampler2D(flat_, plain), wide).x, textureQueryLod(sampler2D(flat_, plain), wide * 8).y);
    float curve = float(id.x * id.x + id.y * id.y * id.x);
    int n = 16 * id.y + id.x;
    words[2 * n] = floatBitsToUint(sum + levels.x + levels.y);
    words[2 * n + 1] = floatBitsToUint(vec4(dFdxFine(curve), dFdyFine(curve), dFdxCoarse(curve), dFdyCoarse(curve)));
}

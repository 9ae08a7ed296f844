#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D image;
layout(set = 0, binding = 1001) uniform texture1DArray strips;
layout(set = 0, binding = 1009) uniform texture2D depths;
layout(set = 0, binding = 3000) uniform sampler plain;
layout(set = 0, binding = 3001) uniform samplerShadow below;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
// GLSL's offsets are constant; that many texels of a level of so many are the same.
void main()
{
    ivec2 id = ivec2(gl_GlobalInvocationID.xy);
    vec2 at = (vec2(id) + 0.5) / 16;
    ivec2 by = ivec2(id.x & 7, id.y & 3) - 2;
    vec4 sum = textureLod(sampler2D(image, plain), at + vec2(by) / 16, 0);
    sum += textureLod(sampler2D(image, plain), at + vec2(by.yx) / 16, 0) * 2;
    sum += textureLod(sampler2D(image, plain), at + vec2(by.xx) / 8, 1) * 3;
    sum += textureLod(sampler1DArray(strips, plain), vec2(at.x + float(by.y) / 8, 2), 1).x;
    sum += textureLod(sampler2DShadow(depths, below), vec3(at + vec2(by) / 16, 0.5), 0);
    words[16 * id.y + id.x] = floatBitsToUint(sum);
}

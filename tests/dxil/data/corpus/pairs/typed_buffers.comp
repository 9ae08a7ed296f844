#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) uniform utextureBuffer source;
layout(set = 0, binding = 0, r32ui) uniform uimageBuffer words;
void main()
{
    int i = int(gl_GlobalInvocationID.x);
    imageStore(words, i, uvec4(texelFetch(source, 127 - i).x * 3));
    if (i >= 120) { imageAtomicAdd(words, 512, 2u); }
}

#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint16_t source[]; };
layout(set = 0, binding = 0) buffer Words { uint16_t words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    words[127 - i] = source[i] * uint16_t(3);
}

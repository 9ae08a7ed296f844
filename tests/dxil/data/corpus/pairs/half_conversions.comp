#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    float f = float(int(source[i]) - 200) * 0.25f;
    words[i] = packHalf2x16(vec2(f, 0)) + floatBitsToUint(unpackHalf2x16(source[i] | 0x3c00).x) * 3;
}

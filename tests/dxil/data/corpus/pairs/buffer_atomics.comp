#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    atomicAdd(words[512], source[i]);
    atomicMax(words[513], source[i]);
    atomicOr(words[514], 1u << (source[i] & 31));
    atomicXor(words[515], source[i]);
    atomicAdd(words[520 + (i & 7)], 1);
    words[i] = source[i] + 1;
}

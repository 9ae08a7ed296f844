#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { int words[]; };
void main()
{
    int v = int(source[gl_GlobalInvocationID.x]) - 300;
    atomicMin(words[512], v);
    atomicMax(words[513], v);
    atomicAdd(words[514], v);
}

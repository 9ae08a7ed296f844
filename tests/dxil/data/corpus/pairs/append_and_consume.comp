#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 2) buffer Given { uint given[]; };
layout(set = 0, binding = 4002) buffer Counter { uint counter; };
void main()
{
    if ((gl_GlobalInvocationID.x & 3) < 2) { given[atomicAdd(counter, 1)] = 4; }
}

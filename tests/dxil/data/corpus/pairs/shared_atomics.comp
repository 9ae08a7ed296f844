#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
shared uint low, high, bits, all_, odd;
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    if (l == 0) { low = 0xffffffffu; high = 0; bits = 0; all_ = 0xffffffffu; odd = 0; }
    barrier();
    atomicMin(low, source[i]);
    atomicMax(high, source[i]);
    atomicOr(bits, source[i]);
    atomicAnd(all_, source[i] | 1);
    atomicXor(odd, source[i]);
    barrier();
    words[i] = low + high * 3 + bits * 5 + all_ * 7 + odd * 11;
}

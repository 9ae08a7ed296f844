#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
shared uint kept[4];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    if (l < 4) { kept[l] = 0; }
    barrier();
    uint old = atomicCompSwap(kept[l & 3], 0u, 5u);
    barrier();
    atomicAdd(kept[l & 3], old == 0 ? 100 : 1);
    barrier();
    words[i] = kept[l & 3] + source[i];
}

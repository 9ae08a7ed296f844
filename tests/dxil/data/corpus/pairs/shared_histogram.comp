#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
shared uint kept[8];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    if (l < 8) { kept[l] = 0; }
    barrier();
    atomicAdd(kept[source[i] & 7], 1);
    barrier();
    words[i] = kept[l & 7];
}

#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
shared uint kept[64];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    kept[l] = source[i];
    barrier();
    for (uint step = 32; step > 0; step >>= 1) {
        if (l < step) { kept[l] += kept[l + step]; }
        barrier();
    }
    words[i] = kept[0] + l;
}

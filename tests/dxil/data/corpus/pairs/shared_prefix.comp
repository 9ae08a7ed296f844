#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
shared uint kept[2][64];
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    kept[0][l] = source[i];
    barrier();
    uint from = 0;
    for (uint step = 1; step < 64; step <<= 1) {
        kept[1 - from][l] = kept[from][l] + (l >= step ? kept[from][l - step] : 0u);
        from = 1 - from;
        barrier();
    }
    words[i] = kept[from][l];
}

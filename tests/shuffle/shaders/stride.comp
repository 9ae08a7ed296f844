#version 460
// Counts in v[i % 64] how often i of 0 .. 255 was done, in steps of the number of workgroups.
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint v[]; };

void main()
{
    for (uint i = gl_WorkGroupID.x; i < 256u; i += gl_NumWorkGroups.x)
        atomicAdd(v[i % 64u], 1u);
}

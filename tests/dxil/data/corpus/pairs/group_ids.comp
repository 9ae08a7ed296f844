#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(local_size_y = 2, local_size_z = 3) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uvec3 id = gl_GlobalInvocationID, local = gl_LocalInvocationID, group = gl_WorkGroupID;
    words[group.x * 24 + gl_LocalInvocationIndex] = id.x + id.y * 10 + id.z * 100 + local.x * 1000 + local.y * 10000 + local.z * 100000 + group.x * 1000000;
}

#version 460
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
void main()
{
    uint id = gl_GlobalInvocationID.x, value = source[id];
    uvec4 all_ = uvec4(subgroupQuadBroadcast(value, 0), subgroupQuadBroadcast(value, 1), subgroupQuadBroadcast(value, 2),
                       subgroupQuadBroadcast(value, 3));
    words[id] = (any(greaterThan(all_, uvec4(300))) ? 1 : 0) + (all(lessThan(all_, uvec4(350))) ? 2 : 0) +
                (any(equal(all_, uvec4(7))) ? 4 : 0);
}

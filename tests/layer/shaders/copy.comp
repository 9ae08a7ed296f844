#version 450
// out[to + workgroup] = in[workgroup].
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(set = 1, binding = 0) readonly buffer In { uint source[]; };
layout(push_constant) uniform Push { uint to; };

void main()
{
    words[to + gl_WorkGroupID.x] = source[gl_WorkGroupID.x];
}

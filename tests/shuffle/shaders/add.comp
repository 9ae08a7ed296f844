#version 460
// One word is another and 1: what a dispatch behind another one reads depends on a barrier between them.
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint v[]; };
layout(push_constant) uniform Push { uint from; uint to; };

void main()
{
    if (gl_GlobalInvocationID.x == 0u)
        v[to] = v[from] + 1u;
}

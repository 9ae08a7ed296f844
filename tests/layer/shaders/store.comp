#version 450
// out[index + workgroup] = value. A plain compute shader: as a node it gets the implicit grid payload.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint index; uint value; };

void main()
{
    words[index + gl_WorkGroupID.x] = value;
}

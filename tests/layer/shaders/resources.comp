#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
// Adds to a buffer chosen by index, and to one known by its address; what, is in an inline uniform block.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Addressed { uint words[]; };
layout(set = 0, binding = 0) buffer Out { uint words[]; } outs[];
layout(set = 1, binding = 0) uniform Values { uint base; uint step; Addressed addressed; };

void main()
{
    uint group = gl_WorkGroupID.x;
    outs[nonuniformEXT(group % 3)].words[group] = base + step * group;
    addressed.words[group] = base;
}

#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    double d = double(source[i]) * 0.25LF;
    d = d * d + double(source[i + 1]);
    uvec2 both = unpackDouble2x32(d);
    words[2 * i] = both.x;
    words[2 * i + 1] = both.y;
}

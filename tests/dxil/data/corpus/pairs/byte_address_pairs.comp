#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    words[8 * i] = source[2 * i] + source[i + 4];
    words[8 * i + 1] = source[2 * i + 1] + source[i + 5];
    for (uint e = 0; e < 3; e++) { words[8 * i + 2 + e] = source[i + 4 + e] * 3; }
    uint at = 4 * (i & 3);
    words[8 * i + 5] = source[at] + source[at + 1];
    words[8 * i + 6] = source[at + 2];
    words[8 * i + 7] = source[at + 3];
}

#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, to = 11 * (31 - i);
    for (uint e = 0; e < 11; e++) { words[to + e] = source[11 * i + e]; }
    words[to] += source[11 * i + 8 + i % 3];
    words[to + 1 + 5 * (i & 1) + 4] = 5;
}

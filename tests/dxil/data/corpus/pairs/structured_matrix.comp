#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    // Column by column.
    uint i = gl_GlobalInvocationID.x;
    words[i] = source[6 * i + 3 + i % 3] ^ source[6 * i + 2];
}

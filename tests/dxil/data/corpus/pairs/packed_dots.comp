#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    uint r = 5;
    int s = -9;
    for (uint b = 0; b < 32; b += 8) {
        r += bitfieldExtract(source[i], int(b), 8) * bitfieldExtract(source[i + 1] * 77, int(b), 8);
        s += bitfieldExtract(int(source[i] * 3), int(b), 8) * bitfieldExtract(int(source[i + 2]), int(b), 8);
    }
    words[i] = r + uint(s) * 3;
}

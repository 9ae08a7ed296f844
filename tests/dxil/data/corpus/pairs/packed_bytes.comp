#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    uint p = source[i] * 12345, q = source[i] * 999, r = 0;
    for (int b = 0; b < 4; b++) { r |= bitfieldExtract(p, 8 * b, 8) << (24 - 8 * b); }
    int s = bitfieldExtract(int(q), 0, 8) + bitfieldExtract(int(q), 8, 8) * 3 + bitfieldExtract(int(q), 16, 8) * 5 + bitfieldExtract(int(q), 24, 8) * 7;
    words[i] = r ^ uint(s);
}

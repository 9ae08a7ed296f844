#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uvec3 group = gl_WorkGroupID;
    uint reference = source[i] * 7, s = source[i + 1] * 999, r = 1;
    for (int b = 0; b < 32; b += 8) {
        uint a = bitfieldExtract(reference, b, 8), c = bitfieldExtract(s, b, 8);
        r += a == 0 ? 0 : max(a, c) - min(a, c);
    }
    words[i] = r;
}

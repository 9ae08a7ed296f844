#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    words[6 * i] = floatBitsToUint(float(int(source[i])));
    words[6 * i + 1] = source[2 * i] - 7;
    words[6 * i + 2] = source[2 * i + 1] - 7;
    uvec2 c = unpackDouble2x32(double(source[i + 16]) * 0.5LF);
    words[6 * i + 4] = c.x;
    words[6 * i + 5] = c.y;
}

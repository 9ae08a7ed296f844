#version 460
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 64) in;
layout(derivative_group_linearNV) in;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 curve = vec2(i * i, (i & 3) * 7 + i / 3);
    words[i] = floatBitsToUint(vec4(dFdxFine(curve), dFdyFine(curve)));
}

#version 460
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 16) in;
layout(derivative_group_linearNV) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    for (uint e = 0; e < 20; e++) {
        float curve = float(i * i + e * (i & 3) * 2);
        words[26 * i + 6 + e] = floatBitsToUint(dFdyFine(curve) + dFdxCoarse(curve) * 2);
        float other = curve * 3 + e;
        if (e >= 14) {
            words[26 * i + e % 6] = floatBitsToUint(dFdxFine(other) + dFdyCoarse(other) * 2);
        }
    }
}

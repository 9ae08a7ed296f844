// SPDX-License-Identifier: Apache-2.0
// Everything that 64-bit integers can do and that spirv::splitLongIntegers() knows. Results as in long_integers_test.cpp.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 64) in;
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Longs { uint64_t v[]; };
layout(push_constant, scalar) uniform Arguments
{
    Longs inputs;
    uint64_t results;
    uint count;
};

const uint kResults = 40u;

struct Pair {
    uint64_t first;
    int64_t second;
};

shared uint64_t s_kept[64];

uint64_t mixed(const uint64_t a, inout Pair pair)
{
    pair.first += a;
    pair.second -= int64_t(a);
    return pair.first ^ uint64_t(pair.second);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint64_t a = inputs.v[2u * min(i, count - 1u)];
    uint64_t b = inputs.v[2u * min(i, count - 1u) + 1u];
    s_kept[gl_LocalInvocationIndex] = a;
    barrier();
    if (i >= count)
        return;
    int64_t sa = int64_t(a);
    int64_t sb = int64_t(b);
    uint shift = uint(b) & 63u;
    uint64_t r[kResults];
    r[0] = a + b;
    r[1] = a - b;
    r[2] = a * b;
    r[3] = a << shift;
    r[4] = a >> shift;
    r[5] = uint64_t(sa >> shift);
    r[6] = a & b;
    r[7] = a | b;
    r[8] = a ^ b;
    r[9] = ~a;
    r[10] = min(a, b);
    r[11] = max(a, b);
    r[12] = uint64_t(min(sa, sb));
    r[13] = uint64_t(max(sa, sb));
    r[14] = clamp(a, uint64_t(1000), uint64_t(1) << 40);
    r[15] = a << 5;
    r[16] = a << 37;
    r[17] = a >> 5;
    r[18] = a >> 37;
    r[19] = uint64_t(sa >> 5);
    r[20] = uint64_t(sa >> 37);
    r[21] = a * uint64_t(16);
    r[22] = a * uint64_t(12345);
    r[23] = a / uint64_t(16);
    r[24] = a % uint64_t(32);
    r[25] = uint64_t(a == b) | uint64_t(a != b) << 1 | uint64_t(a < b) << 2 | uint64_t(a <= b) << 3 |
            uint64_t(a > b) << 4 | uint64_t(a >= b) << 5;
    r[26] = uint64_t(sa < sb) | uint64_t(sa <= sb) << 1 | uint64_t(sa > sb) << 2 | uint64_t(sa >= sb) << 3;
    r[27] = uint64_t(uint(a));
    r[28] = uint64_t(int64_t(int(uint(a))));
    r[29] = uint64_t(-sa);
    r[30] = uint64_t(floatBitsToUint(float(a >> 40)));
    Pair pair = Pair(b, sb);
    r[31] = mixed(a, pair);
    uint64_t sum = uint64_t(0);
    for (uint64_t step = a & uint64_t(15); step > uint64_t(0); --step)
        sum += step * b;
    r[32] = sum;
    r[33] = packUint2x32(unpackUint2x32(a).yx);
    r[34] = s_kept[gl_LocalInvocationIndex] + uint64_t(0);
    r[35] = subgroupShuffle(a, gl_SubgroupInvocationID);
    r[36] = (a & uint64_t(1)) != uint64_t(0) ? a : b;
    r[37] = a << 32 | b >> 32;
    r[38] = (a + (uint64_t(1) << 32)) - uint64_t(1);
    r[39] = uint64_t(uint(a) * 3u) * b;
    Longs to = Longs(results + uint64_t(i * kResults) * uint64_t(8));
    for (uint k = 0u; k < kResults; ++k)
        to.v[k] = r[k];
}

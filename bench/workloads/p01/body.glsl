// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
const uint kMark = 0x51deca5e;

uint work(Words table, uint place, uint value)
{
    float sum = 0;
    for (uint i = 0; i < 8; ++i) {
        const uint h = mix32(value + i * kMark);
        sum += sin(float(h & 255)) * sqrt(float(h >> 8 & 4095)) + exp2(float(h >> 28));
        value += table.v[h & 1023] ^ floatBitsToUint(sum);
    }
    return value + place;
}

// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"

// 0 to 8 children, few much more often than many; two on average.
uint childrenOf(uint seed)
{
    const uint h = mix32(seed) & 1023;
    return h < 300 ? 0 : h < 560 ? 1 : h < 720 ? 2 : h < 820 ? 3 : h < 890 ? 4 : h < 940 ? 5 : h < 975 ? 6 : h < 1000 ? 7 : 8;
}

uint childOf(uint seed, uint i)
{
    return mix32(seed * 9 + i + 1);
}

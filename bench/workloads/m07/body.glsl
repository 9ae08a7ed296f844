// SPDX-License-Identifier: Apache-2.0
// Work that needs many registers (REGISTERS) or SHARED words of workgroup memory, in workgroups of SIZE invocations.
#include "../m05/hand.glsl"
const uint kSeeds = 256;

#ifdef REGISTERS
// 112 values, all of which each round reads and changes, so that all are alive at the same time.
#define ALL(DO)                                                                                                     \
    DO(0, 9) DO(1, 10) DO(2, 11) DO(3, 12) DO(4, 13) DO(5, 14) DO(6, 15) DO(7, 16) DO(8, 17) DO(9, 18) DO(10, 19)   \
    DO(11, 20) DO(12, 21) DO(13, 22) DO(14, 23) DO(15, 24) DO(16, 25) DO(17, 26) DO(18, 27) DO(19, 0) DO(20, 1)     \
    DO(21, 2) DO(22, 3) DO(23, 4) DO(24, 5) DO(25, 6) DO(26, 7) DO(27, 8)
#define FIRST(I, J) uvec4 a##I = (uvec4(0, 1, 2, 3) + 4 * I + seed) * 2654435761u;
#define TURN(I, J) a##I = a##I * 1664525u + (a##J.yzwx ^ round);
#define LAST(I, J) sum = sum * 31u + a##I;

uint bodyOf(uint seed, uint rounds)
{
    ALL(FIRST)
    for (uint round = 0; round < rounds; ++round) {
        ALL(TURN)
    }
    uvec4 sum = uvec4(0);
    ALL(LAST)
    return sum.x ^ sum.y * 3 ^ sum.z * 5 ^ sum.w * 7;
}
#else
shared uint s_values[SHARED];

// As a Fourier transform does: each value with one that is a power of two further on, and barriers between rounds.
uint bodyOf(uint seed, uint rounds)
{
    const uint lane = gl_LocalInvocationIndex;
    for (uint i = lane; i < SHARED; i += SIZE) {
        s_values[i] = (i + seed) * 2654435761u;
    }
    barrier();
    for (uint round = 0; round < rounds; ++round) {
        const uint bit = 1u << round;
        for (uint pair = lane; pair < SHARED / 2; pair += SIZE) {
            const uint i = (pair & ~(bit - 1)) << 1 | pair & (bit - 1);
            const uint low = s_values[i];
            const uint high = s_values[i | bit];
            s_values[i] = low * 1664525u + high;
            s_values[i | bit] = high * 1013904223u ^ low >> 7;
        }
        barrier();
    }
    uint sum = 0;
    for (uint i = lane; i < SHARED; i += SIZE) {
        sum = sum * 31u + s_values[i];
    }
    return sum;
}
#endif

// Of invocation `lane` of a workgroup of a hand. Only so many seeds, since the host has to know the results.
uint heavyResult(uint hand, uint workgroup, uint lane, uint rounds)
{
    uint seed = (hand * 7 + workgroup) % kSeeds;
#ifdef REGISTERS
    seed = seed * SIZE + lane;
#endif
    return bodyOf(seed, rounds) + resultOf(hand, workgroup, lane);
}

// SPDX-License-Identifier: Apache-2.0
// Payloads of WORDS words; each invocation of the first level makes EACH of them.
#include "../buffers.glsl"

uint wordOf(uint id, uint i)
{
    return i == 0 ? id : id * 2654435761u + i;
}

// As wide as a payload's size allows.
#if WORDS % 4 == 0
#define QUADS (WORDS / 4)
#endif
// Where a payload is begun to be read. With INDEXED compilers cannot know that what is not written yet has a bit set, so
// payloads cannot be registers.
#ifdef INDEXED
#define START(UNWRITTEN) ((UNWRITTEN) >> 31)
#else
#define START(UNWRITTEN) 0
#endif
struct Record {
#ifdef QUADS
    uvec4 quads[QUADS];
#else
    uint words[WORDS];
#endif
};
uvec4 quadOf(uint id, uint i)
{
    return uvec4(wordOf(id, i), wordOf(id, i + 1), wordOf(id, i + 2), wordOf(id, i + 3));
}

// What the second level makes of a payload: all words count, and their order.
#define SUM_OF(RECORD_WORD, SUM)               \
    uint SUM = 0;                              \
    for (uint i_ = 0; i_ < WORDS; ++i_) {      \
        SUM += (2 * i_ + 1) * RECORD_WORD(i_); \
    }

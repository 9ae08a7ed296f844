#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "record.glsl"
layout(name = "absorb", coalescing, api_entry = false) node;
#ifdef IN_MEMORY
// Backwards, since an invocation that looks at the payload of its own number only can run inside the producer.
layout(local_size_x = 64) in;
nodein Record record[64];
#define OWN (record.length() - 1 - gl_LocalInvocationIndex)
#else
layout(local_size_x = 1) in;
nodein Record record[1];
#define OWN 0
#endif

layout(push_constant, scalar) uniform Arguments { Words sums; };
#define WORD(i) record[OWN].words[i]

void main()
{
#ifdef IN_MEMORY
    if (gl_LocalInvocationIndex >= record.length()) {
        return;
    }
#endif
#ifdef QUADS
    uint sum = 0;
    const uint start = START(sums.v[record[OWN].quads[0].x]);
    for (uint i = 0; i < QUADS; ++i) {
        const uint j = (i + start) % QUADS;
        const uvec4 part = record[OWN].quads[j];
        for (uint k = 0; k < 4; ++k) {
            sum += (2 * (4 * j + k) + 1) * part[k];
        }
    }
    sums.v[record[OWN].quads[0].x] = sum;
#else
    SUM_OF(WORD, sum)
    sums.v[record[OWN].words[0]] = sum;
#endif
}

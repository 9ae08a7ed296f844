#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Both levels by hand, the second with ABSORB. How many records there are is known, so each has its place.
#include "arguments.glsl"
#ifdef ABSORB
layout(local_size_x = 256) in;
#else
layout(local_size_x = 64) in;
#endif

#ifdef PLANAR
#undef QUADS
#endif

void main()
{
#ifdef ABSORB
    const uint id = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
    if (id < count) {
#ifdef QUADS
        Quads all = Quads(records);
        uint sum = 0;
        const uint start = START(sums.v[id]);
        for (uint i = 0; i < QUADS; ++i) {
            const uint j = (i + start) % QUADS;
            const uvec4 part = all.v[id * QUADS + j];
            for (uint k = 0; k < 4; ++k) {
                sum += (2 * (4 * j + k) + 1) * part[k];
            }
        }
#else
#define WORD(j) records.v[PLACE(id, j)]
        SUM_OF(WORD, sum)
#endif
        sums.v[id] = sum;
    }
#else
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 * EACH + gl_LocalInvocationIndex;
    for (uint i = 0; i < EACH; ++i) {
        const uint id = first + 64 * i;
#ifdef QUADS
        Quads all = Quads(records);
        for (uint j = 0; j < QUADS; ++j) {
            all.v[id * QUADS + j] = quadOf(id, 4 * j);
        }
#else
        for (uint j = 0; j < WORDS; ++j) {
            records.v[PLACE(id, j)] = wordOf(id, j);
        }
#endif
    }
#endif
}

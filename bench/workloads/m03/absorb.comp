#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "record.glsl"
layout(name = "absorb", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

nodein Record record[1];

layout(push_constant, scalar) uniform Arguments { Words sums; };
#define WORD(i) record[0].words[i]

void main()
{
#ifdef QUADS
    uint sum = 0;
    for (uint j = 0; j < QUADS; ++j) {
        const uvec4 part = record[0].quads[j];
        for (uint k = 0; k < 4; ++k) {
            sum += (2 * (4 * j + k) + 1) * part[k];
        }
    }
    sums.v[record[0].quads[0].x] = sum;
#else
    SUM_OF(WORD, sum)
    sums.v[record[0].words[0]] = sum;
#endif
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "record.glsl"
layout(name = "absorb", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

struct Record {
    uint words[WORDS];
};
nodein Record record[1];

layout(push_constant, scalar) uniform Arguments { Words sums; };
#define WORD(i) record[0].words[i]

void main()
{
    SUM_OF(WORD, sum)
    sums.v[record[0].words[0]] = sum;
}

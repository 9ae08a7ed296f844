#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "body.glsl"
layout(name = "single", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

struct Item {
    uint id;
};
nodein Item item[1];

layout(push_constant, scalar) uniform Arguments { Words results; Pairs table; uint rounds; };

void main()
{
    const uint id = item[0].id;
    results.v[id] = heavyResult(id / SIZE, 0, id % SIZE, rounds);
}

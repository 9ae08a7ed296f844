#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Workgroups that are there at once: how many, and how many at most. Each has WORDS words of workgroup memory, in which it
// looks around for a while.
#include "../buffers.glsl"
layout(local_size_x = 32) in;
layout(push_constant, scalar) uniform Arguments { Words counters; uint rounds; };
shared uint memory[WORDS];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    for (uint i = lane; i < WORDS; i += 32) {
        memory[i] = i;
    }
    if (lane == 0) {
        atomicMax(counters.v[1], atomicAdd(counters.v[0], 1) + 1);
    }
    barrier();
    uint x = lane;
    for (uint i = 0; i < rounds; ++i) {
        x = memory[(x * 1664525u + i) % WORDS];
    }
    barrier();
    if (lane == 0) {
        atomicAdd(counters.v[0], x < WORDS ? -1 : 0);
    }
}

#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Adds up to 16 histograms. How many come together is not promised, so the last level adds to memory.
#include "../buffers.glsl"
layout(name = "combine", coalescing, recursion = DEPTH, api_entry = false) node;
layout(local_size_x = 256) in;

struct Histogram {
    uint counts[256];
};
nodein Histogram histograms[16];
layout(node = "combine") nodeout Histogram combined[1];

layout(push_constant, scalar) uniform Arguments { Quads keys; Words sums; };

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    // Loads that do not wait for each other.
    uint parts[16];
    for (uint i = 0; i < 16; ++i) {
        parts[i] = i < histograms.length() ? histograms[i].counts[lane] : 0;
    }
    uint sum = 0;
    for (uint i = 0; i < 16; ++i) {
        sum += parts[i];
    }
    if (remainingRecursion() == 0) {
        atomicAdd(sums.v[lane], sum);
        return;
    }
    allocateWorkgroup(combined, 1);
    combined[0].counts[lane] = sum;
    enqueue(combined);
}

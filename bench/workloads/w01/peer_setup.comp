#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 128) in;
shared uint sums[128];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint count = lane < MATERIALS ? extra.v[kCounts + lane] : 0;
    sums[lane] = count;
    barrier();
    for (uint step_ = 1; step_ < 128; step_ *= 2) {
        const uint other = lane >= step_ ? sums[lane - step_] : 0;
        barrier();
        sums[lane] += other;
        barrier();
    }
    if (lane < MATERIALS) {
        extra.v[kBases + lane] = sums[lane] - count;
        extra.v[kNodes + 4 * lane] = (count + 255) / 256;
        extra.v[kNodes + 4 * lane + 1] = 1;
        extra.v[kNodes + 4 * lane + 2] = 1;
        extra.v[kNodes + 4 * lane + 3] = count;
        extra.v[kCounts + lane] = 0;
    }
    if (lane == 0) {
        const uint entries = extra.v[kEntries];
        extra.v[kExpandGrid] = (entries + 63) / 64;
        extra.v[kExpandGrid + 1] = 1;
        extra.v[kExpandGrid + 2] = 1;
        extra.v[kExpandCount] = entries;
        extra.v[kPool] = 0;
        extra.v[kEntries] = 0;
    }
}

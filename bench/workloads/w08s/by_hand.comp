#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Short rows at once, and lists of medium rows and of parts of long ones; then each (PASS 1, 2) by workgroups that stride.
#if PASS == 1
#define LOCAL 64
#elif PASS == 2
#define LOCAL 256
#endif
#include "matrix.glsl"
layout(push_constant, scalar) uniform Arguments {
    Words results;
    Words offsets;
    Pairs entries;
    Words vector;
    Pairs list;  // medium rows; behind `room` of them parts of long rows: row, part
    Words counters;
    Words nextCounters;
    uint room;
};

#if PASS == 0
layout(local_size_x = 256) in;
shared uint counts[2];
shared uint bases[2];

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    if (lane < 2) {
        counts[lane] = 0;
    }
    barrier();
    const uint row = gl_GlobalInvocationID.x;
    const uint begin = row < ROWS ? offsets.v[row] : 0;
    const uint count = row < ROWS ? offsets.v[row + 1] - begin : 0;
    if (row < ROWS && count < kShort) {
        uint sum = 0;
        for (uint i = 0; i < count; ++i) {
            sum += product(entries, vector, begin + i);
        }
        results.v[row] = sum;
    }
    const uint kind = count < kMedium ? 0 : 1;
    const uint parts = count < kShort ? 0 : (count + kMedium - 1) / kMedium;
    const uint rank = parts == 0 ? 0 : atomicAdd(counts[kind], parts);
    barrier();
    if (lane < 2 && counts[lane] != 0) {
        bases[lane] = atomicAdd(counters.v[lane * 32], counts[lane]);
    }
    barrier();
    for (uint i = 0; i < parts; ++i) {
        list.v[kind * room + bases[kind] + rank + i] = uvec2(row, i);
    }
}
#else
layout(local_size_x = LOCAL) in;

void main()
{
    const uint kind = PASS - 1;
    const uint all = counters.v[kind * 32];
    for (uint i = gl_WorkGroupID.x; i < all; i += gl_NumWorkGroups.x) {
        const uvec2 part = list.v[kind * room + i];
        const uint begin = offsets.v[part.x] + part.y * kMedium;
        const uint sum = sumOf(entries, vector, begin, min(begin + kMedium, offsets.v[part.x + 1]));
        if (gl_LocalInvocationIndex == 0) {
            if (kind == 0) {
                results.v[part.x] = sum;
            } else {
                atomicAdd(results.v[part.x], sum);
            }
        }
        barrier();
    }
    if (gl_WorkGroupID.x == 0 && gl_LocalInvocationIndex == 0) {
        nextCounters.v[kind * 32] = 0;
    }
}
#endif

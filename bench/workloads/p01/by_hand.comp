#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// The same as a pass of a program by hand.
#include "body.glsl"
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { Words table; Pairs items; Pairs results; Words counters; uint count; };
shared uint counts;
shared uint base;

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) {
        counts = 0;
    }
    barrier();
    const bool works = i < count;
    const uvec2 item = works ? items.v[i] : uvec2(0);
    const uint value = work(table, item.x, item.y);
    const bool sends = works && value % 2 == 0;
    const uint rank = sends ? atomicAdd(counts, 1) : 0;
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        base = atomicAdd(counters.v[0], counts);
    }
    barrier();
    if (sends) {
        results.v[base + rank] = uvec2(item.x, value);
    }
}

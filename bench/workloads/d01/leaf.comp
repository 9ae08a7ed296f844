#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A node that sends nothing. Each payload adds to 32 words: GRID: a workgroup for each 8; DYNAMIC: the payload says so.
// Otherwise one invocation adds to one word.
#include "../buffers.glsl"
struct Input {
#ifdef DYNAMIC
    dispatch_grid uint groups;
#else
    uint groups;
#endif
    uint offset;
    uint increment;
};
#if defined(DYNAMIC)
layout(name = "leaf", max_grid = uvec3(64, 1, 1)) node;
layout(local_size_x = 8) in;
nodein Input given;
#elif defined(GRID)
layout(name = "leaf", static_grid = uvec3(4, 1, 1)) node;
layout(local_size_x = 8) in;
nodein Input given;
#else
layout(name = "leaf", coalescing) node;
layout(local_size_x = 1) in;
nodein Input given[1];
#endif

layout(push_constant, scalar) uniform Arguments { Words sums; };

void main()
{
#if defined(DYNAMIC) || defined(GRID)
    atomicAdd(sums.v[given.offset + gl_GlobalInvocationID.x], given.increment);
#else
    atomicAdd(sums.v[given[0].offset], given[0].increment);
#endif
}

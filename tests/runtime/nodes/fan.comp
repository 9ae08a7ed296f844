// SPDX-License-Identifier: Apache-2.0
// Payload {groups, seed}, grid (groups, 1, 1). Every invocation sends 0 to 2 payloads {value} to leaf[0..4]; every
// workgroup sends payloads {grid, value} to "grids", one of them with an empty grid, and one payload to "tree".
#version 460
#extension GL_GOOGLE_include_directive : require
#include "hand_lowered.glsl"
layout(local_size_x = 64) in;

void body()
{
    uint seed = input_words(0).v[1];
    uint id = mr_workgroup_id().x * 64u + gl_LocalInvocationIndex;
    uint h = hash(id ^ seed);
    uint count = h % 3u;
    uvec4 leaves = mr_allocate_invocation(0u, count, (h >> 8) % 5u);
    for (uint i = 0u; i < count; ++i)
        output_words(leaves, i).v[0] = h >> 16;
    mr_enqueue(leaves);

    uvec4 grids = mr_allocate_workgroup(1u, 3u, 0u);
    if (gl_LocalInvocationIndex < 3u) {
        Words w = output_words(grids, gl_LocalInvocationIndex);
        w.v[0] = gl_LocalInvocationIndex;  // empty for invocation 0
        w.v[1] = 2u;
        w.v[2] = 1u + mr_workgroup_id().x % 3u;
        w.v[3] = seed;
    }
    mr_enqueue(grids);

    uvec4 tree = mr_allocate_workgroup(2u, 1u, 0u);
    if (gl_LocalInvocationIndex == 0u)
        output_words(tree, 0u).v[0] = 1u;
    mr_enqueue(tree);
}

void main()
{
    mr_begin(p.a, p.b);
    while (mr_next())
        body();
}

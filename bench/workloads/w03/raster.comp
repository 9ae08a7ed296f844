#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A triangle in a box, by an invocation, or (WIDE) by four in a row. Boxes of one node have about one size.
#include "payloads.glsl"
#ifdef WIDE
#define SIZE 64
#define LANES 4
#else
#define SIZE 1
#define LANES 1
#endif
layout(name = "raster", coalescing, api_entry = false) node;
layout(local_size_x = SIZE) in;

nodein Piece pieces[SIZE / LANES];

void main()
{
    const uint i = gl_LocalInvocationIndex / LANES;
    if (i < pieces.length()) {
        const Triangle triangle = Triangle(pieces[i].v, pieces[i].z, pieces[i].id);
        coverBox(depths, triangle, pieces[i].box, gl_LocalInvocationIndex % LANES, LANES);
    }
}

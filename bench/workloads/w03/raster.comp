#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A triangle in a box. Boxes of one node have about one size.
#include "payloads.glsl"
layout(name = "raster", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

nodein Piece piece[1];

void main()
{
    coverBox(depths, Triangle(piece[0].v, piece[0].z, piece[0].id), piece[0].box);
}

#version 460
// SPDX-License-Identifier: Apache-2.0
// Sends the points of one row, two bytes' worth of work each, far too little for a workgroup of its own.
#include "point.glsl"

layout(name = "row", max_grid = uvec3(128, 1, 1)) node;
layout(local_size_x = 64) in;

struct Lattice {
    dispatch_grid uint rows;  // up to 128
};
nodein Lattice lattice;

layout(node = "test") nodeout Point points[128];

void main()
{
    allocateWorkgroup(points, lattice.rows);
    for (uint x = gl_LocalInvocationIndex; x < lattice.rows; x += 64) {
        points[x].x = x;
        points[x].y = gl_WorkGroupID.x;
    }
    enqueue(points);
}

// SPDX-License-Identifier: Apache-2.0
// Behind mesh shaders: a workgroup for each draw numbers the primitives of its workgroups, in their order, marks where
// they are, and says how many vertices are drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128) in;

const uint kEach = 8u;

#include "meta/mesh/number_primitives.glsl"

void main()
{
    uint number = gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y;
    if (number >= a.count)
        return;
    MeshListing listing = Listings(a.listings).v[number];
    MeshWork work = Work(listing.work).v;
    if (gl_LocalInvocationIndex == 0u)
        report(work.memory);
    uint primitives = numberPrimitives(listing, work, 0u, work.table.groupCount, 0u);
    if (gl_LocalInvocationIndex == 0u)
        finishDraw(listing, work, primitives);
}

// SPDX-License-Identifier: Apache-2.0
// As list.comp, an invocation for each draw: for draws of a few workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128) in;

#include "meta/mesh/listing.glsl"

void main()
{
    uint number = gl_LocalInvocationIndex + gl_WorkGroupSize.x * (gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y);
    if (number >= a.count)
        return;
    MeshListing listing = Listings(a.listings).v[number];
    MeshWork work = Work(listing.work).v;
    report(work.memory);
    Groups groups = Groups(work.results);
    Marks marks = marksOf(work, listing.views);
    uint front = 0u;
    for (uint group = 0u; group < work.table.groupCount; ++group) {
        uint primitives = primitivesOf(groups, group, work.table.groupCount, listing.views);
        groups.v[group].firstPrimitive = front;
        mark(marks, group, front, primitives);
        front += primitives;
    }
    finishDraw(listing, work, front);
}

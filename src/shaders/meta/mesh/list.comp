// SPDX-License-Identifier: Apache-2.0
// Behind mesh shaders: a workgroup for each draw numbers the primitives of its workgroups, in their order, marks where
// they are, and says how many vertices are drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;

#include "meta/mesh/add_up.glsl"
#include "meta/mesh/listing.glsl"

const uint kEach = 8u;  // workgroups that an invocation looks at in one round

void main()
{
    uint number = gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y;
    if (number >= a.count)
        return;
    MeshListing listing = Listings(a.listings).v[number];
    MeshWork work = Work(listing.work).v;
    Groups groups = Groups(work.results);
    Marks marks = marksOf(work, listing.views);
    uint count = work.table.groupCount;
    uint front = 0u;
    for (uint begin = 0u; begin < count; begin += kEach * gl_WorkGroupSize.x) {
        uint own = begin + kEach * gl_LocalInvocationIndex;
        uint primitives[kEach];
        uint sum = 0u;
        for (uint i = 0u; i < kEach; ++i) {
            primitives[i] = own + i < count ? primitivesOf(groups, own + i, count, listing.views) : 0u;
            sum += primitives[i];
        }
        uint first = front + addUp(sum) - sum;
        for (uint i = 0u; i < kEach; ++i) {
            if (own + i < count)
                groups.v[own + i].firstPrimitive = first;
            mark(marks, own + i, first, primitives[i]);
            first += primitives[i];
        }
        front = min(front + s_sums[gl_WorkGroupSize.x - 1u], kMostAddedUp);
    }
    if (gl_LocalInvocationIndex == 0u)
        finishDraw(listing, work, marks, front);
}

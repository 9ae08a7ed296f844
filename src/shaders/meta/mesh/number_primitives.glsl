// SPDX-License-Identifier: Apache-2.0
// Numbers primitives of a draw with the invocations of a workgroup, each of which looks at kEach workgroups in a round.

#include "meta/mesh/add_up.glsl"
#include "meta/mesh/listing.glsl"

// Of the workgroups from `begin` up to `end`, behind `front` primitives. Returns how many are in front of `end`.
uint numberPrimitives(const MeshListing listing, const MeshWork work, const uint begin, const uint end, uint front)
{
    Groups groups = Groups(work.results);
    Marks marks = marksOf(work, listing.views);
    for (uint tile = begin; tile < end; tile += kEach * gl_WorkGroupSize.x) {
        uint own = tile + kEach * gl_LocalInvocationIndex;
        uint primitives[kEach];
        uint sum = 0u;
        for (uint i = 0u; i < kEach; ++i) {
            bool is_there = own + i < end;
            primitives[i] = is_there ? primitivesOf(groups, own + i, work.table.groupCount, listing.views) : 0u;
            sum += primitives[i];
        }
        uint first = front + addUp(sum) - sum;
        for (uint i = 0u; i < kEach; ++i) {
            if (own + i < end)
                groups.v[own + i].firstPrimitive = first;
            mark(marks, own + i, first, primitives[i]);
            first += primitives[i];
        }
        front = min(front + s_sums[gl_WorkGroupSize.x - 1u], kMostAddedUp);
    }
    return front;
}

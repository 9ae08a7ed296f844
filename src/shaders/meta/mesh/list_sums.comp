// SPDX-License-Identifier: Apache-2.0
// The first of two kernels that do what list.comp does for draws that may have many workgroups: several workgroups for
// each draw add up the primitives of parts of it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;

#include "meta/mesh/add_up.glsl"
#include "meta/mesh/listing.glsl"
#include "meta/mesh/parts.glsl"

void main()
{
    uint number = gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y;
    if (number >= a.count * a.parts)
        return;
    MeshListing listing = Listings(a.listings).v[number / a.parts];
    MeshWork work = Work(listing.work).v;
    uint count = work.table.groupCount;
    uint own = number % a.parts;
    if (own == 0u && gl_LocalInvocationIndex == 0u)
        report(work.memory);
    uvec2 part = partOf(count, own, a.parts);
    if (part.x == part.y)
        return;
    Groups groups = Groups(work.results);
    uint sum = 0u;
    for (uint i = part.x + gl_LocalInvocationIndex; i < part.y; i += gl_WorkGroupSize.x)
        sum = min(sum + primitivesOf(groups, i, count, listing.views), kMostAddedUp);
    sum = addUp(sum);
    if (gl_LocalInvocationIndex == gl_WorkGroupSize.x - 1u)
        Sums(a.sums).v[number] = sum;
}

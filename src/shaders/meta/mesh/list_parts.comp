// SPDX-License-Identifier: Apache-2.0
// The second one, behind list_sums.comp: numbers the primitives of each part. That of the first part finishes the draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;

const uint kEach = 4u;

#include "meta/mesh/number_primitives.glsl"
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
    uvec2 part = partOf(count, own, a.parts);
    if (part.x == part.y && own != 0u)
        return;
    Sums sums = Sums(a.sums + uint64_t(number - own) * uint64_t(4u));
    PartSums primitives = addUpParts(sums, count, own, a.parts);
    numberPrimitives(listing, work, part.x, part.y, primitives.front);
    if (own == 0u && gl_LocalInvocationIndex == 0u)
        finishDraw(listing, work, primitives.all);
}

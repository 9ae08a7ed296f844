// SPDX-License-Identifier: Apache-2.0
// The first of two kernels that do what grids.comp does where there may be many grids: adds up the workgroups of each
// part of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;

const uint kEach = 4u;

#include "meta/mesh/add_up.glsl"
#include "meta/mesh/numbering.glsl"
#include "meta/mesh/parts.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Parts { MeshGridParts v; };

void main()
{
    bool is_first = gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex == 0u;
    Parts parts = Parts(a.parts);
    if (isNumbered()) {
        if (is_first) {
            runAgain();
            parts.v.isNew = 0u;
        }
        return;
    }
    Grids grids = findGrids();
    if (is_first) {
        parts.v.entries = takeEntries(grids);
        parts.v.isNew = 1u;
    }
    uvec2 part = partOf(grids.count, gl_WorkGroupID.x, a.partCount);
    if (part.x == part.y)
        return;
    uint sum = 0u;
    for (uint i = part.x + gl_LocalInvocationIndex; i < part.y; i += gl_WorkGroupSize.x)
        sum = min(sum + groupsOf(grids, i), kMostAddedUp);
    sum = addUp(sum);
    if (gl_LocalInvocationIndex == gl_WorkGroupSize.x - 1u)
        Sums(a.parts + uint64_t(kMeshGridPartsBytes)).v[gl_WorkGroupID.x] = sum;
}

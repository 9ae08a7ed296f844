// SPDX-License-Identifier: Apache-2.0
// The second one, behind grids_sums.comp: writes the entries of each part.
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
    MeshGridParts parts = Parts(a.parts).v;
    if (parts.isNew == 0u)
        return;
    Grids grids = findGrids();
    uint own = gl_WorkGroupID.x;
    uvec2 part = partOf(grids.count, own, a.partCount);
    if (part.x == part.y && own != 0u)
        return;
    Sums sums = Sums(a.parts + uint64_t(kMeshGridPartsBytes));
    PartSums groups = addUpParts(sums, grids.count, own, a.partCount);
    if (parts.entries != kNothing)
        writeEntries(grids, parts.entries, part.x, part.y, groups.front);
    if (own == 0u && gl_LocalInvocationIndex == 0u)
        runAll(grids, parts.entries, groups.all);
}

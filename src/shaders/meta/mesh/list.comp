// SPDX-License-Identifier: Apache-2.0
// Behind mesh shaders: a workgroup for each draw numbers the primitives of its workgroups, in their order, and says how
// many vertices are drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { ListArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Listings { MeshListing v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Groups { MeshGroup v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Draw { MeshDrawCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Report { MeshMemoryReport v; };

#include "meta/mesh/add_up.glsl"

const uint kEach = 8u;  // workgroups that an invocation looks at in one round

// Of a workgroup in the view that has most of them: those that a view lacks are not seen there.
uint primitivesOf(const Groups groups, const uint group, const uint count, const uint views)
{
    uint most = 0u;
    for (uint view = 0u; view < views; ++view)
        most = max(most, (groups.v[view * count + group].counts >> kMeshPrimitiveShift) & kMeshCountMask);
    return most;
}

void report(const uint64_t address)
{
    MeshOutputMemory memory = Memory(address).v;
    if (memory.report != uint64_t(0))
        Report(memory.report).v = MeshMemoryReport(memory.unfit, memory.used, memory.wanted, memory.refused);
}

void main()
{
    uint number = gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y;
    if (number >= a.count)
        return;
    MeshListing listing = Listings(a.listings).v[number];
    MeshWork work = Work(listing.work).v;
    Groups groups = Groups(work.results);
    uint count = work.table.groupCount;
    uint front = 0u;
    for (uint begin = 0u; begin < count; begin += kEach * gl_WorkGroupSize.x) {
        uint own = begin + kEach * gl_LocalInvocationIndex;
        uint sums[kEach];
        uint sum = 0u;
        for (uint i = 0u; i < kEach; ++i) {
            sums[i] = sum;
            if (own + i < count)
                sum += primitivesOf(groups, own + i, count, listing.views);
        }
        uint behind = addUp(sum);
        for (uint i = 0u; i < kEach; ++i)
            if (own + i < count)
                groups.v[own + i].firstPrimitive = front + behind - sum + sums[i];
        front = min(front + s_sums[gl_WorkGroupSize.x - 1u], kMostAddedUp);
    }
    if (gl_LocalInvocationIndex != 0u)
        return;
    if (front >= kMaxListedPrimitives) {
        front = 0u;
        Memory(work.memory).v.refused = 1u;
    }
    Draw(listing.draw).v = MeshDrawCommand(front * listing.corners, 1u, 0u, 0u);
    report(work.memory);
}

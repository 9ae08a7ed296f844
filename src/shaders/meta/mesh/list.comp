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

const uint kEach = 8u;  // workgroups that an invocation looks at in one round

shared uint s_sums[gl_WorkGroupSize.x];

// Of all invocations up to this one.
uint addUp(const uint sum)
{
    uint own = gl_LocalInvocationIndex;
    barrier();
    s_sums[own] = sum;
    for (uint reach = 1u; reach < gl_WorkGroupSize.x; reach *= 2u) {
        barrier();
        uint other = own >= reach ? s_sums[own - reach] : 0u;
        barrier();
        s_sums[own] += other;
    }
    barrier();
    return s_sums[own];
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
                sum += (groups.v[own + i].counts >> kMeshPrimitiveShift) & kMeshCountMask;
        }
        uint behind = addUp(sum);
        for (uint i = 0u; i < kEach; ++i)
            if (own + i < count)
                groups.v[own + i].firstPrimitive = front + behind - sum + sums[i];
        front += s_sums[gl_WorkGroupSize.x - 1u];
    }
    if (gl_LocalInvocationIndex != 0u)
        return;
    Draw(listing.draw).v = MeshDrawCommand(front * listing.corners, 1u, 0u, 0u);
    if (count == 0u)
        return;
    Memory memory = Memory(work.memory);
    if (memory.v.report != uint64_t(0) && memory.v.unfit != 0u)
        Report(memory.v.report).v.unfit = memory.v.unfit;
}

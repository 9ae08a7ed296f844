// SPDX-License-Identifier: Apache-2.0
// What is listed of a draw: where the primitives of each workgroup begin, marks, and how many vertices are drawn.

layout(push_constant, scalar) uniform Arguments { ListArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Listings { MeshListing v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Groups { MeshGroup v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Marks { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Draw { MeshDrawCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Report { MeshMemoryReport v; };

// Of a workgroup in the view that has most of them: those that a view lacks are not seen there.
uint primitivesOf(const Groups groups, const uint group, const uint count, const uint views)
{
    uint most = 0u;
    for (uint view = 0u; view < views; ++view)
        most = max(most, (groups.v[view * count + group].counts >> kMeshPrimitiveShift) & kMeshCountMask);
    return most;
}

// Behind the MeshGroup, 16 bytes, of each workgroup and view.
Marks marksOf(const MeshWork work, const uint views)
{
    return Marks(work.results + uint64_t(work.table.groupCount) * uint64_t(views * 16u));
}

// Those whose last primitive the workgroup has.
void mark(const Marks marks, const uint group, const uint first, const uint count)
{
    for (uint i = first / kMeshMarkPrimitives; (i + 1u) * kMeshMarkPrimitives <= first + count; ++i)
        marks.v[i] = group;
}

void report(const uint64_t address)
{
    MeshOutputMemory memory = Memory(address).v;
    if (memory.report != uint64_t(0))
        Report(memory.report).v = MeshMemoryReport(memory.unfit, memory.used, memory.wanted, memory.refused);
}

// Behind all workgroups, which have so many primitives.
void finishDraw(const MeshListing listing, const MeshWork work, const Marks marks, const uint primitives)
{
    if (primitives % kMeshMarkPrimitives != 0u)
        marks.v[primitives / kMeshMarkPrimitives] = work.table.groupCount - 1u;
    bool isRefused = primitives >= kMaxListedPrimitives;
    if (isRefused)
        Memory(work.memory).v.refused = 1u;
    Draw(listing.draw).v = MeshDrawCommand(isRefused ? 0u : primitives * listing.corners, 1u, 0u, 0u);
    report(work.memory);
}

// SPDX-License-Identifier: Apache-2.0
// What is listed of a draw: where the primitives of each workgroup begin, marks, and how many vertices are drawn.

layout(push_constant, scalar) uniform Arguments { ListArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Listings { MeshListing v[]; };

#include "meta/mesh/drawn.glsl"

// Of a workgroup in the view that has most of them: those that a view lacks are not seen there.
uint primitivesOf(const Groups groups, const uint group, const uint count, const uint views)
{
    uint most = 0u;
    for (uint view = 0u; view < views; ++view)
        most = max(most, (groups.v[view * count + group].counts >> kMeshPrimitiveShift) & kMeshCountMask);
    return most;
}

// Those whose last primitive the workgroup has.
void mark(const Marks marks, const uint group, const uint first, const uint count)
{
    for (uint i = first / kMeshMarkPrimitives; (i + 1u) * kMeshMarkPrimitives <= first + count; ++i)
        marks.v[i] = group;
}

// What mesh shaders have left: as soon as they have run, since the host may wait for it.
void report(const uint64_t address)
{
    MeshOutputMemory memory = Memory(address).v;
    if (memory.report == uint64_t(0))
        return;
    Report report = Report(memory.report);
    report.v.unfit = memory.unfit;
    report.v.used = memory.used;
    report.v.wanted = memory.wanted;
    report.v.refused = memory.refused;
}

// Takes room for up to so many indices, whole primitives. Returns how many: none if a vertex of the draw has no number.
uint takeIndices(const MeshIndexing indexing, const MeshWork work, const uint count, out uint first)
{
    first = indexing.first;
    if (work.table.groupCount > indexing.mostGroups)
        return 0u;
    if (indexing.isShared == 0u)
        return count <= indexing.most ? count : 0u;
    Memory memory = Memory(work.memory);
    atomicAdd(memory.v.wantedIndices, count);
    uint before = memory.v.indices;
    while (true) {
        uint left = (indexing.most - before) / indexing.corners * indexing.corners;
        uint taken = min(count, left);
        if (taken == 0u)
            return 0u;
        uint found = atomicCompSwap(memory.v.indices, before, before + taken);
        if (found == before) {
            first += before;
            return taken;
        }
        before = found;
    }
    return 0u;
}

void reportRefusal(const uint64_t address)
{
    MeshOutputMemory memory = Memory(address).v;
    if (memory.report != uint64_t(0))
        Report(memory.report).v.refusedPrimitives = 1u;
}

// The first primitives with indices, as far as there is room, and those behind them without: all keep their order.
void writeDraws(const MeshListing listing, const MeshWork work, const uint vertices)
{
    uint indices = 0u;
    if (listing.indexing != 0u) {
        MeshIndexing indexing = Indexings(a.indexings).v[listing.indexing - 1u];
        uint first = 0u;
        indices = takeIndices(indexing, work, vertices, first);
        indexedDrawOf(listing.draw).v = MeshIndexedCommand(indices, 1u, first, 0, 0u);
    }
    Draw(listing.draw).v = MeshDrawCommand(vertices - indices, 1u, indices, 0u);
}

// Behind all workgroups, which have so many primitives.
void finishDraw(const MeshListing listing, const MeshWork work, const uint primitives)
{
    if (primitives % kMeshMarkPrimitives != 0u)
        marksOf(work, listing.views).v[primitives / kMeshMarkPrimitives] = work.table.groupCount - 1u;
    bool isRefused = primitives >= kMaxListedPrimitives;
    if (isRefused)
        reportRefusal(work.memory);
    writeDraws(listing, work, isRefused ? 0u : primitives * listing.corners);
}

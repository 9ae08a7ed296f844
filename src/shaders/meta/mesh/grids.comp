// SPDX-License-Identifier: Apache-2.0
// One workgroup numbers the workgroups of several grids, and gives them memory for what each leaves. Where there is too
// little of it, none of them runs.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(push_constant, scalar) uniform Arguments { GridsArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Entries { SequenceEntry v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Dispatch { DispatchCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };

#include "meta/mesh/add_up.glsl"

const uint kEach = 8u;  // grids that an invocation looks at in one round
const uint kNothing = 0xffffffffu;

shared uint s_entries;  // the first unit of the entries
shared uint s_refused;

uint64_t addressOf(const uint unit)
{
    return Memory(a.memory).v.begin + uint64_t(unit) * uint64_t(kMeshUnitBytes);
}

uint unitsOf(const uint count, const uint bytes)
{
    uint64_t units = (uint64_t(count) * uint64_t(bytes) + uint64_t(kMeshUnitBytes - 1u)) / uint64_t(kMeshUnitBytes);
    return units < uint64_t(kNothing) ? uint(units) : kNothing - 1u;
}

// Mesh shaders of other draws may run meanwhile.
uint take(const uint units)
{
    Memory memory = Memory(a.memory);
    uint before = atomicAdd(memory.v.reserved, units);
    if (before <= memory.v.units && units <= memory.v.units - before)
        return atomicAdd(memory.v.used, units);
    atomicAdd(memory.v.reserved, -units);
    return kNothing;
}

// 0 for a grid without workgroups, and for one that has more than it may.
uint groupsOf(const uint64_t grids, const uint number)
{
    Words grid = Words(grids + uint64_t(number) * uint64_t(a.stride));
    uint high_plane;
    uint plane;
    umulExtended(grid.v[0], grid.v[1], high_plane, plane);
    uint high;
    uint groups;
    umulExtended(plane, grid.v[2], high, groups);
    // A product of 2^32 or more with a factor of 0 is 0.
    if (grid.v[2] == 0u)
        return 0u;
    bool isAllowed = (high_plane | high) == 0u && groups <= kMaxMeshGroups;
    if (!isAllowed)
        s_refused = 1u;
    return isAllowed ? groups : 0u;
}

// Returns how many workgroups there are.
uint writeEntries(const uint64_t grids, const uint count)
{
    Entries entries = Entries(addressOf(s_entries));
    uint front = 0u;
    for (uint begin = 0u; begin < count; begin += kEach * gl_WorkGroupSize.x) {
        uint own = begin + kEach * gl_LocalInvocationIndex;
        uint sums[kEach];
        uint sum = 0u;
        for (uint i = 0u; i < kEach; ++i) {
            sums[i] = sum;
            if (own + i < count)
                sum += groupsOf(grids, own + i);
        }
        uint before = addUp(sum) - sum;
        if (s_entries != kNothing)
            for (uint i = 0u; i < kEach; ++i)
                if (own + i < count)
                    entries.v[own + i] = SequenceEntry(own + i, front + before + sums[i]);
        front = min(front + s_sums[gl_WorkGroupSize.x - 1u], kMostAddedUp);
    }
    barrier();
    return front;
}

void runNothing()
{
    Work(a.work).v.table = SequenceTable(0u, 0u, uint64_t(0));
    Work(a.work).v.results = uint64_t(0);
    Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
}

void runAll(const uint64_t grids, const uint count, const uint groups)
{
    Memory memory = Memory(a.memory);
    Work work = Work(a.work);
    work.v.memory = a.memory;
    work.v.grids = grids;
    if (s_refused != 0u)
        memory.v.refused = 1u;
    if (groups > kMaxListedGroups) {
        memory.v.refused = 1u;
        runNothing();
        return;
    }
    // What task shaders that have not run emit is not known yet.
    if (a.before != uint64_t(0) && grids == uint64_t(0)) {
        runNothing();
        return;
    }
    uint units = unitsOf(groups, a.resultBytes);
    uint first = s_entries == kNothing ? kNothing : take(units);
    if (first == kNothing) {
        atomicAdd(memory.v.unfit, 1u);
        uint most = kNothing - 1u;
        uint entries = unitsOf(count, 8u);
        atomicMax(memory.v.wanted, units < most - entries ? units + entries : most);
        runNothing();
        return;
    }
    work.v.results = addressOf(first);
    work.v.isFresh = 1u;
    work.v.table = SequenceTable(count, groups, addressOf(s_entries));
    uint rows = groups / kRowGroups + (groups % kRowGroups != 0u ? 1u : 0u);
    Dispatch(a.dispatch).v =
        DispatchCommand(min(groups, kRowGroups), min(rows, kRows), (rows + kRows - 1u) / kRows, 0u);
}

void main()
{
    bool is_first = gl_LocalInvocationIndex == 0u;
    if (Memory(a.memory).v.isRepeat != 0u && Work(a.work).v.results != uint64_t(0)) {
        if (is_first && a.runsOnce != 0u)
            Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
        if (is_first)
            Work(a.work).v.isFresh = 0u;
        return;
    }
    uint64_t grids = a.grids;
    uint count = a.most;
    if (a.before != uint64_t(0)) {
        grids = Work(a.before).v.results;
        count = Work(a.before).v.table.groupCount;
    } else if (a.count != uint64_t(0)) {
        count = min(count, Words(a.count).v[0]);
    }
    if (is_first) {
        s_entries = take(unitsOf(count, 8u));
        s_refused = 0u;
    }
    barrier();
    uint groups = writeEntries(grids, count);
    if (is_first)
        runAll(grids, count, groups);
}

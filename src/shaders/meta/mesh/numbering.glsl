// SPDX-License-Identifier: Apache-2.0
// What the kernels share that number the workgroups of several grids, and give them memory for what each leaves. Where
// there is too little of it, none of them runs.

layout(push_constant, scalar) uniform Arguments { GridsArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Entries { SequenceEntry v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Dispatch { DispatchCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };

const uint kNothing = 0xffffffffu;

// Where grids are, and how many.
struct Grids {
    uint64_t address;
    uint count;
};

Grids findGrids()
{
    if (a.before != uint64_t(0))
        return Grids(Work(a.before).v.results, Work(a.before).v.table.groupCount);
    return Grids(a.grids, a.count != uint64_t(0) ? min(a.most, Words(a.count).v[0]) : a.most);
}

uint64_t addressOf(const uint unit)
{
    return Memory(a.memory).v.begin + uint64_t(unit) * uint64_t(kMeshUnitBytes);
}

uint unitsOf(const uint count, const uint bytes)
{
    uint64_t units = (uint64_t(count) * uint64_t(bytes) + uint64_t(kMeshUnitBytes - 1u)) / uint64_t(kMeshUnitBytes);
    return units < uint64_t(kNothing) ? uint(units) : kNothing - 1u;
}

// kNothing if there are fewer.
uint take(const uint units)
{
    Memory memory = Memory(a.memory);
    uint before = atomicAdd(memory.v.used, 0u);
    while (before <= memory.v.units && units <= memory.v.units - before) {
        uint found = atomicCompSwap(memory.v.used, before, before + units);
        if (found == before)
            return before;
        before = found;
    }
    return kNothing;
}

// The first unit of the entries, or kNothing.
uint takeEntries(const Grids grids)
{
    return take(unitsOf(grids.count, 8u));
}

// 0 for a grid without workgroups, and for one that has more than it may.
uint groupsOf(const Grids grids, const uint number)
{
    Words grid = Words(grids.address + uint64_t(number) * uint64_t(a.stride));
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
        Memory(a.memory).v.refused = 1u;
    return isAllowed ? groups : 0u;
}

// Of the grids from `begin` up to `end`, behind `front` workgroups. Returns how many are in front of `end`. With
// kNothing for entries it writes none.
uint writeEntries(const Grids grids, const uint first, const uint begin, const uint end, uint front)
{
    Entries entries = Entries(addressOf(first));
    for (uint tile = begin; tile < end; tile += kEach * gl_WorkGroupSize.x) {
        uint own = tile + kEach * gl_LocalInvocationIndex;
        uint sums[kEach];
        uint sum = 0u;
        for (uint i = 0u; i < kEach; ++i) {
            sums[i] = sum;
            if (own + i < end)
                sum += groupsOf(grids, own + i);
        }
        uint before = addUp(sum) - sum;
        if (first != kNothing)
            for (uint i = 0u; i < kEach; ++i)
                if (own + i < end)
                    entries.v[own + i] = SequenceEntry(own + i, front + before + sums[i]);
        front = min(front + s_sums[gl_WorkGroupSize.x - 1u], kMostAddedUp);
    }
    return front;
}

// True if all of it has run, or will without the grids being looked at again.
bool isNumbered()
{
    return Memory(a.memory).v.isRepeat != 0u && Work(a.work).v.results != uint64_t(0);
}

// Nothing runs now that takes memory.
void letReserve()
{
    Memory(a.memory).v.reserved = atomicAdd(Memory(a.memory).v.used, 0u);
}

// Where isNumbered(): workgroups that have run do not run again.
void runAgain()
{
    letReserve();
    if (a.runsOnce != 0u)
        Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
    Work(a.work).v.isFresh = 0u;
}

void runNothing()
{
    Work(a.work).v.table = SequenceTable(0u, 0u, uint64_t(0));
    Work(a.work).v.results = uint64_t(0);
    Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
}

// With the entries from unit `first` on, of all workgroups.
void runAll(const Grids grids, const uint entries, const uint groups)
{
    Memory memory = Memory(a.memory);
    Work work = Work(a.work);
    work.v.memory = a.memory;
    work.v.grids = grids.address;
    if (groups > kMaxListedGroups) {
        memory.v.refused = 1u;
        runNothing();
        return;
    }
    // What task shaders that have not run emit is not known yet.
    if (a.before != uint64_t(0) && grids.address == uint64_t(0)) {
        runNothing();
        return;
    }
    uint units = unitsOf(groups, a.resultBytes);
    uint first = entries == kNothing ? kNothing : take(units);
    if (first == kNothing) {
        atomicAdd(memory.v.unfit, 1u);
        uint most = kNothing - 1u;
        uint others = unitsOf(grids.count, 8u);
        atomicMax(memory.v.wanted, units < most - others ? units + others : most);
        runNothing();
        return;
    }
    letReserve();
    work.v.results = addressOf(first);
    work.v.isFresh = 1u;
    work.v.table = SequenceTable(grids.count, groups, addressOf(entries));
    uint rows = groups / kRowGroups + (groups % kRowGroups != 0u ? 1u : 0u);
    Dispatch(a.dispatch).v =
        DispatchCommand(min(groups, kRowGroups), min(rows, kRows), (rows + kRows - 1u) / kRows, 0u);
}

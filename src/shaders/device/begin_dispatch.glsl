// SPDX-License-Identifier: Apache-2.0
// What a dispatch begins with: counters are reset, tables and regions are laid out as the host planned them, and what the
// host has prepared of the feed is put there. graph::beginStores() says the same for device/begin_inside.glsl.
#ifndef MILLRACE_DEVICE_BEGIN_DISPATCH_GLSL
#define MILLRACE_DEVICE_BEGIN_DISPATCH_GLSL

#include "device/may_begin.glsl"

MR_REFERENCE(LevelPlans, LevelPlan, 8);
MR_REFERENCE(StreamPlans, StreamPlan, 8);
MR_REFERENCE(SlotPlans, SlotPlan, 16);
MR_REFERENCE(Copies, Copy, 8);
MR_REFERENCE(Granules, uvec4, 16);

void mr_begin_header(const BeginArguments a, const bool may, const uint i)
{
    if (i != 0u)
        return;
    GraphHeaders header = GraphHeaders(a.graph);
    // Sweeps that were recorded in case of bounds that do not hold feed nothing, and keep what there is to tell.
    bool isDone = a.when == kBeginsAgain && header.v[0].again != kBoundsBroken;
    if (may) {
        header.v[0].feedCursor = uint64_t(0);
        header.v[0].feedTotal = a.isFed != 0u ? uint64_t(0) : ~uint64_t(0);
        header.v[0].feedCounted = 0u;
        if (a.isFed == 0u) {
            header.v[0].feedFirstChunk = uint64_t(0);
            header.v[0].nextFirstChunk = 0u;
            header.v[0].feedTicket = 0u;
            header.v[0].feedFirstInfo = isDone ? ~0u : 0u;
            header.v[0].nextFirstInfo = header.v[0].feedFirstInfo;
            header.v[0].feedBlocks = 0u;
        }
        header.v[0].hostStatus = a.status;
        if (!isDone)
            header.v[0].status = GraphStatus(0u, 0u, kErrorNone, 0u, 0u, 0u, 0u, 0u);
    } else {
        mr_refuse_to_begin(a.graph, a.status);
    }
}

// Which elements are an invocation's: those of each kind are begun by other subgroups, so that no load waits for that of
// another kind.
uint mr_first_to_begin(const uint kind, const uint i, const uint step)
{
    return (i + step - kind * (step / 4u)) % step;
}

// Plans are loaded whether they are needed or not, again so that no load waits.
void mr_begin_slots(const BeginArguments a, const bool may, const uint i, const uint step)
{
    for (uint s = mr_first_to_begin(0u, i, step); s < a.slotCount; s += step) {
        SlotPlan plan = SlotPlans(a.slotPlans).v[s];
        SlotStates states = SlotStates(MR_HEADER(a.graph).slotStates);
        NewSlotInfos infos = NewSlotInfos(MR_HEADER(a.graph).slots);
        if (may) {
            states.v[s].cursor = uint64_t(0);
            states.v[s].counted = uint64_t(0);
            if (!MR_LONG_ATOMICS)
                states.v[s].ticket = 0u;
            infos.v[s].base = plan.base;
            infos.v[s].onlyTable = plan.onlyTable;
            infos.v[s].onlyCapacity = plan.onlyCapacity;
            infos.v[s].leaving = plan.leaving;
            infos.v[s].start = uint64_t(0);
            infos.v[s].startUnit = 0u;
            infos.v[s].most = plan.most;
        }
    }
}

void mr_begin_streams(const BeginArguments a, const bool may, const uint i, const uint step)
{
    for (uint s = mr_first_to_begin(1u, i, step); s < a.streamCount; s += step) {
        StreamPlan plan = StreamPlans(a.streamPlans).v[s];
        StreamStates streams = StreamStates(MR_HEADER(a.graph).streamStates);
        if (may) {
            streams.v[s].counter = plan.counter;
            if (!MR_LONG_ATOMICS)
                streams.v[s].appended = uint(plan.counter >> kUnitBits);
            streams.v[s].firstLocation = plan.firstLocation;
            streams.v[s].table = mr_address(a.graph, plan.table);
            streams.v[s].capacity = plan.capacity;
        }
    }
}

void mr_begin_levels(const BeginArguments a, const bool may, const uint i, const uint step)
{
    for (uint l = mr_first_to_begin(2u, i, step); l < a.levelCount; l += step) {
        LevelPlan plan = LevelPlans(a.levelPlans).v[l];
        LevelStates levels = LevelStates(MR_HEADER(a.graph).levelStates);
        if (may) {
            levels.v[l].reserved = uint64_t(0);
            if (!MR_LONG_ATOMICS) {
                levels.v[l].reservedGranules = 0u;
                levels.v[l].reservedEntries = 0u;
            }
            levels.v[l].used = plan.used;
            levels.v[l].begin = plan.begin;
            levels.v[l].size = plan.size;
            levels.v[l].entryQuota = plan.entryQuota;
            levels.v[l].groups = plan.groups;
            levels.v[l].startUsed = plan.used;
            levels.v[l].startEntries = 0u;
        }
    }
}

void mr_begin_feed(const BeginArguments a, const bool may, const uint i, const uint step)
{
    for (uint c = 0u; c < a.copyCount; ++c) {
        Copy copy = Copies(a.copies).v[c];
        for (uint g = mr_first_to_begin(3u, i, step); g < copy.granules; g += step) {
            uvec4 granule = Granules(copy.from).v[g];
            if (may)
                Granules(copy.to).v[g] = granule;
        }
    }
}

#endif

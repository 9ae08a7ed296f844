// SPDX-License-Identifier: Apache-2.0
// Where the plan cannot prove that a dispatch fits, most of its levels do all the same: how much there is to do is known
// when a level begins. All who run at a level look at the same numbers, which nobody changes meanwhile, and so agree.
#ifndef MILLRACE_DEVICE_LEVEL_FIT_GLSL
#define MILLRACE_DEVICE_LEVEL_FIT_GLSL

#include "device/state.glsl"

const uint kMaxCountedUnits = 1u << 31;  // as in graph::plan, for the sake of MR_NARROW
const uint64_t kTooMuchMemory = uint64_t(1) << 40;

// The worst that a slot's units, or those of several slots, may need.
struct Need {
    uint64_t granules;
    uint64_t entries;
};

// Of what was dropped and reported (see mr_begin()) nobody here knows the end. Without early return: operations of the
// subgroup follow.
Need mr_slot_need(const uint index)
{
    SlotInfos info = SlotInfos(MR_HEADER(g_graph).slots + uint64_t(index * kSlotInfoBytes));
    StreamStates stream = StreamStates(g_graph + uint64_t(info.v[0].streamState));
    uint64_t counter = stream.v[0].counter;
    uint64_t total = (counter & kUnitMask) * uint64_t(info.v[0].unitsPerPayload);
    uint64_t left = total - min(total, SlotStates(MR_HEADER(g_graph).slotStates).v[index].counted);
    bool isDropped = uint(counter >> kUnitBits) > stream.v[0].capacity;
    bool isCounted = !isDropped && left <= uint64_t(kMaxCountedUnits) &&
                     (info.v[0].kind == kKindDynamic || total <= uint64_t(kMaxCountedUnits));
    uint perGroup = max(info.v[0].unitsPerGroup, 1u);  // whatever stands in memory that was not initialized
    uint64_t groups = uint64_t((uint(left) + perGroup - 1u) / perGroup);
    uint64_t granules = min(groups * uint64_t(info.v[0].fitGranulesPerGroup), kTooMuchMemory);
    uint64_t entries = min(groups * uint64_t(info.v[0].fitEntriesPerGroup), kTooMuchMemory);
    return Need(isCounted ? granules : kTooMuchMemory, isCounted ? entries : kTooMuchMemory);
}

// Of numbers of up to 41 bits, which not every device can add in a subgroup.
uint64_t mr_add_all(const uint64_t number)
{
    uint low = mr_subgroup_sum(uint(number) & 0xfffffu).total;
    uint high = mr_subgroup_sum(uint(number >> 20)).total;
    return uint64_t(low) + (uint64_t(high) << 20);
}

// Whether those before this workgroup of ours are as many as the slot can have work for. It need not look at the level.
bool mr_is_superfluous()
{
    return Unit(gl_WorkGroupID.x) * Unit(mr_units_per_group()) >= g_total;
}

struct LevelFit {
    bool fits;
    uint base;  // granule where the slot's workgroups put what they emit
    Need own;
};

// All invocations.
LevelFit mr_fit_level()
{
    LevelState level = LevelStates(MR_HEADER(g_graph).levelStates).v[g_level];
    Words list = Words(MR_HEADER(g_graph).levelSlots);
    uint first = list.v[g_level];
    uint end = list.v[g_level + 1u];
    uint slot = uint(g_slot - MR_HEADER(g_graph).slots) / kSlotInfoBytes;
    LevelFit fit;
    fit.own = mr_slot_need(slot);
    Need all = fit.own;
    uint64_t before = uint64_t(0);
    if (end - first > 1u) {
        all = Need(uint64_t(0), uint64_t(0));
        SubgroupSum together = mr_subgroup_count(true);
        uint own = together.before;
        uint step = together.total;
        // No invocation leaves the loop early: the additions behind it need all of them.
        for (uint i = first; i < end; i += step) {
            bool exists = i + own < end;
            uint other = list.v[min(i + own, end - 1u)];
            Need need = mr_slot_need(other);
            all.granules = min(all.granules + (exists ? need.granules : uint64_t(0)), kTooMuchMemory);
            all.entries = min(all.entries + (exists ? need.entries : uint64_t(0)), kTooMuchMemory);
            before = min(before + (exists && other < slot ? need.granules : uint64_t(0)), kTooMuchMemory);
        }
        all = Need(mr_add_all(all.granules), mr_add_all(all.entries));
        before = mr_add_all(before);
    }
    fit.fits = all.granules <= uint64_t(level.size - min(level.size, level.startUsed)) &&
               all.entries <= uint64_t(level.entryQuota - min(level.entryQuota, level.startEntries));
    fit.base = level.begin + level.startUsed + uint(before);
    return fit;
}

// For the next sweep: what the slot takes and may use. One invocation.
void mr_commit_fit(const LevelFit fit)
{
    uint slot = uint(g_slot - MR_HEADER(g_graph).slots) / kSlotInfoBytes;
    SlotStates(MR_HEADER(g_graph).slotStates).v[slot].cursor = uint64_t(g_total);
    LevelStates levels = LevelStates(MR_HEADER(g_graph).levelStates);
    atomicAdd(levels.v[g_level].used, uint(fit.own.granules));
    if (MR_LONG_ATOMICS) {
        atomicAdd(levels.v[g_level].reserved, (fit.own.entries << kReservedBits) + fit.own.granules);
    } else {
        atomicAdd(levels.v[g_level].reservedGranules, uint(fit.own.granules));
        atomicAdd(levels.v[g_level].reservedEntries, uint(fit.own.entries));
    }
}

#endif

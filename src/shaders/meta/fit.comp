// SPDX-License-Identifier: Apache-2.0
// In front of a level, where the plan cannot prove that a dispatch fits: most levels do all the same, and how much there
// is to do is known now. What the level's slots have and may need at most decides who runs them: code that reserves
// nothing, or code that reserves (SlotInfo::most). One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/graph.glsl"

layout(local_size_x = MR_INVOCATIONS) in;
layout(push_constant, scalar) uniform Arguments { FitArguments a; };

const uint64_t kMaxUnits = uint64_t(1) << 31;  // as in graph::plan, for the sake of MR_NARROW
const uint64_t kTooMuchMemory = uint64_t(1) << 40;

// What slots up to this invocation's last one need.
shared uint64_t s_granules[MR_INVOCATIONS];
shared uint64_t s_entries[MR_INVOCATIONS];

struct Need {
    uint64_t granules;
    uint64_t entries;
};

// Slots that send nothing run without being asked.
bool asks(const uint slot)
{
    SlotInfos infos = SlotInfos(a.slots);
    return infos.v[slot].fitGranulesPerGroup > 0u || infos.v[slot].fitEntriesPerGroup > 0u;
}

// The worst that what is left of a slot may need.
Need needOf(const uint slot)
{
    SlotInfos infos = SlotInfos(a.slots);
    StreamStates streams = StreamStates(a.streamStates);
    if (!asks(slot))
        return Need(uint64_t(0), uint64_t(0));
    uint stream = infos.v[slot].stream;
    uint64_t counter = streams.v[stream].counter;
    uint64_t total = (counter & kUnitMask) * uint64_t(infos.v[slot].unitsPerPayload);
    uint64_t left = total - min(total, SlotStates(a.slotStates).v[slot].counted);
    // Of what was dropped and reported nobody knows the end.
    bool isDropped = uint(counter >> kUnitBits) > streams.v[stream].capacity;
    if (isDropped || left > kMaxUnits || (infos.v[slot].kind != kKindDynamic && total > kMaxUnits))
        return Need(kTooMuchMemory, kTooMuchMemory);
    uint perGroup = infos.v[slot].unitsPerGroup;
    uint64_t groups = uint64_t((uint(left) + perGroup - 1u) / perGroup);
    return Need(min(groups * uint64_t(infos.v[slot].fitGranulesPerGroup), kTooMuchMemory),
                min(groups * uint64_t(infos.v[slot].fitEntriesPerGroup), kTooMuchMemory));
}

// Afterwards each of the first `parts` invocations has the sum of those up to itself. Ends with a barrier.
void addUp(const uint parts)
{
    uint own = gl_LocalInvocationIndex;
    barrier();
    for (uint reach = 1u; reach < parts; reach *= 2u) {
        bool adds = own >= reach && own < parts;
        uint64_t granules = adds ? s_granules[own - reach] : uint64_t(0);
        uint64_t entries = adds ? s_entries[own - reach] : uint64_t(0);
        barrier();
        s_granules[own] += granules;
        s_entries[own] += entries;
        barrier();
    }
}

// For the next sweep: what the level takes of its region and its entries.
void take(const Need all)
{
    LevelStates level = LevelStates(a.levelState);
    level.v[0].used += uint(all.granules);
    if (MR_LONG_ATOMICS) {
        level.v[0].reserved += (all.entries << kReservedBits) + all.granules;
    } else {
        level.v[0].reservedGranules += uint(all.granules);
        level.v[0].reservedEntries += uint(all.entries);
    }
}

void main()
{
    if (MR_HEADER(a.graph).magic != kGraphMagic)
        return;
    Words list = Words(a.list);
    // Neighbours, so that they have their memory one after the other.
    uint own = gl_LocalInvocationIndex;
    uint each = (a.slotCount + MR_INVOCATIONS - 1u) / MR_INVOCATIONS;
    uint first = min(own * each, a.slotCount);
    uint end = min(first + each, a.slotCount);
    Need sum = Need(uint64_t(0), uint64_t(0));
    for (uint i = first; i < end; ++i) {
        Need need = needOf(list.v[i]);
        sum = Need(sum.granules + need.granules, sum.entries + need.entries);
    }
    s_granules[own] = sum.granules;
    s_entries[own] = sum.entries;
    uint parts = (a.slotCount + each - 1u) / each;
    addUp(parts);

    LevelState level = LevelStates(a.levelState).v[0];
    Need all = Need(s_granules[parts - 1u], s_entries[parts - 1u]);
    bool fits = all.granules <= uint64_t(level.size - min(level.size, level.startUsed)) &&
                all.entries <= uint64_t(level.entryQuota - min(level.entryQuota, level.startEntries));
    uint base = level.begin + level.startUsed + uint(s_granules[own] - sum.granules);
    NewSlotInfos infos = NewSlotInfos(a.slots);
    for (uint i = first; i < end; ++i) {
        uint slot = list.v[i];
        if (!asks(slot))
            continue;
        infos.v[slot].base = base;
        infos.v[slot].most = fits ? kTakesAll : 0u;
        base += uint(needOf(slot).granules);
    }
    barrier();  // all have read what the level has
    if (own == 0u && fits)
        take(all);
}

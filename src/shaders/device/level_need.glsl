// SPDX-License-Identifier: Apache-2.0
// What a level may need, as its counters say when it begins. All who decide by that must come to the same.
#ifndef MILLRACE_DEVICE_LEVEL_NEED_GLSL
#define MILLRACE_DEVICE_LEVEL_NEED_GLSL

#include "device/graph.glsl"

const uint kMaxCountedUnits = 1u << 31;  // as in graph::plan, for the sake of MR_NARROW
const uint64_t kTooMuchMemory = uint64_t(1) << 40;

// The worst that a slot's units, or those of several slots, may need.
struct Need {
    uint64_t granules;
    uint64_t entries;
};

// What is left to do of a slot. Of what was dropped and reported (see mr_begin()) nobody here knows the end.
struct Left {
    uint groups;  // workgroups of ours
    bool isKnown;
};

Left mr_slot_left(SlotInfos info, StreamStates stream, const uint64_t counted)
{
    uint64_t counter = stream.v[0].counter;
    uint64_t total = (counter & kUnitMask) * uint64_t(info.v[0].unitsPerPayload);
    uint64_t units = total - min(total, counted);
    bool isDropped = uint(counter >> kUnitBits) > stream.v[0].capacity;
    bool isCounted = !isDropped && units <= uint64_t(kMaxCountedUnits) &&
                     (info.v[0].kind == kKindDynamic || total <= uint64_t(kMaxCountedUnits));
    uint perGroup = max(info.v[0].unitsPerGroup, 1u);  // whatever stands in memory that was not initialized
    return Left((uint(units) + perGroup - 1u) / perGroup, isCounted);
}

Need mr_need_of(SlotInfos info, const Left left)
{
    if (!left.isKnown)
        return Need(kTooMuchMemory, kTooMuchMemory);
    return Need(min(uint64_t(left.groups) * uint64_t(info.v[0].fitGranulesPerGroup), kTooMuchMemory),
                min(uint64_t(left.groups) * uint64_t(info.v[0].fitEntriesPerGroup), kTooMuchMemory));
}

bool mr_has_room(const LevelState level, const Need need)
{
    return need.granules <= uint64_t(level.size - min(level.size, level.startUsed)) &&
           need.entries <= uint64_t(level.entryQuota - min(level.entryQuota, level.startEntries));
}

#endif

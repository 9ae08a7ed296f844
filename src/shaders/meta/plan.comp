// SPDX-License-Identifier: Apache-2.0
// Indirect path: before a level, turns what its slots have to do into indirect dispatch arguments. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/publish.glsl"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { PlanArguments a; };

MR_REFERENCE(IndirectTable, IndirectArguments, 8);

const uint kMaxGrid = 65535u;       // every device's maxComputeWorkGroupCount
const uint kMaxGroups = 1u << 30;   // of one slot in one sweep; the rest waits for the next

// As many workgroups as memory can be reserved for, at most `wanted`: halves until it fits.
uint reserveGroups(const SlotInfo slot, const uint wanted)
{
    if ((a.flags & kFlagFits) != 0u || (slot.granulesPerGroup == 0u && slot.entriesPerGroup == 0u))
        return wanted;
    LevelStates levels = LevelStates(MR_HEADER(a.graph).levelStates);
    uint bytesBound = slot.granulesPerGroup > 0u ? levels.v[slot.level].size / slot.granulesPerGroup : wanted;
    uint entriesBound = slot.entriesPerGroup > 0u ? levels.v[slot.level].entryQuota / slot.entriesPerGroup : wanted;
    for (uint n = min(wanted, min(bytesBound, entriesBound)); n > 0u; n /= 2u) {
        uint64_t cost = (uint64_t(slot.entriesPerGroup) * uint64_t(n) << kUnitBits) +
                        uint64_t(slot.granulesPerGroup) * uint64_t(n);
        uint64_t after = atomicAdd(levels.v[slot.level].reserved, cost) + cost;
        if ((after & kUnitMask) <= uint64_t(levels.v[slot.level].size) &&
            (after >> kUnitBits) <= uint64_t(levels.v[slot.level].entryQuota))
            return n;
        atomicAdd(levels.v[slot.level].reserved, uint64_t(0) - cost);
    }
    return 0u;
}

void planSlot(const uint index, const SlotInfo slot)
{
    StreamState stream = StreamStates(MR_HEADER(a.graph).streamStates).v[slot.stream];
    SlotStates states = SlotStates(MR_HEADER(a.graph).slotStates);
    uint64_t total = (stream.counter & kUnitMask) * uint64_t(slot.unitsPerPayload);
    if (uint(stream.counter >> kUnitBits) > stream.capacity)
        total = uint64_t(0);
    uint64_t first = states.v[index].cursor;
    uint64_t left = total > first ? total - first : uint64_t(0);
    uint64_t wanted = (left + uint64_t(slot.unitsPerGroup - 1u)) / uint64_t(slot.unitsPerGroup);
    uint groups = reserveGroups(slot, uint(min(wanted, uint64_t(kMaxGroups))));
    states.v[index].cursor = first + uint64_t(groups) * uint64_t(slot.unitsPerGroup);

    uint x = min(groups, kMaxGrid);
    uint y = x > 0u ? (groups + x - 1u) / x : 0u;
    IndirectTable(a.indirect).v[index] = IndirectArguments(x, y, x > 0u ? 1u : 0u, groups, first);
}

void main()
{
    bool usable = MR_HEADER(a.graph).magic == kGraphMagic;
    for (uint i = gl_LocalInvocationIndex; i < a.slotCount; i += gl_WorkGroupSize.x) {
        if (!usable) {
            IndirectTable(a.indirect).v[i] = IndirectArguments(0u, 0u, 0u, 0u, uint64_t(0));
            continue;
        }
        SlotInfo slot = SlotInfos(MR_HEADER(a.graph).slots).v[i];
        if (slot.level == a.level)
            planSlot(i, slot);
    }
}

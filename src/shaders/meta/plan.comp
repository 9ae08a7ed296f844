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

// ceil(units / unitsPerGroup), at most kMaxGroups. By bisection, since NVIDIA 580.159 compiles a 64-bit division here
// so that an unrelated register becomes the upper half of an operand, and would dispatch 2^30 workgroups.
uint groupsFor(const uint64_t units, const uint unitsPerGroup)
{
    uint low = 0u;
    uint high = kMaxGroups;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (uint64_t(middle) * uint64_t(unitsPerGroup) >= units)
            high = middle;
        else
            low = middle + 1u;
    }
    return low;
}

void planSlot(const uint index)
{
    SlotInfos slots = SlotInfos(MR_HEADER(a.graph).slots);
    StreamStates streams = StreamStates(MR_HEADER(a.graph).streamStates);
    SlotStates states = SlotStates(MR_HEADER(a.graph).slotStates);
    uint stream = slots.v[index].stream;
    uint unitsPerGroup = slots.v[index].unitsPerGroup;
    uint64_t counter = streams.v[stream].counter;
    uint64_t total = (counter & kUnitMask) * uint64_t(slots.v[index].unitsPerPayload);
    if (uint(counter >> kUnitBits) > streams.v[stream].capacity)
        total = uint64_t(0);  // dropped and reported, see mr_begin()
    uint64_t first = states.v[index].cursor;
    uint64_t left = total > first ? total - first : uint64_t(0);
    uint groups = groupsFor(left, unitsPerGroup);
    if (groups > 0u && (a.flags & kFlagFits) == 0u)
        groups = mr_reserve(a.graph, a.level, slots.v[index].granulesPerGroup, slots.v[index].entriesPerGroup, groups);
    states.v[index].cursor = first + uint64_t(groups) * uint64_t(unitsPerGroup);

    uint x = min(groups, kMaxGrid);
    uint y = x > 0u ? (groups + x - 1u) / x : 1u;
    IndirectTable(a.indirect).v[index] = IndirectArguments(x, y, 1u, groups, first);
}

void main()
{
    bool usable = MR_HEADER(a.graph).magic == kGraphMagic;
    for (uint i = gl_LocalInvocationIndex; i < a.slotCount; i += gl_WorkGroupSize.x) {
        if (!usable)
            IndirectTable(a.indirect).v[i] = IndirectArguments(0u, 1u, 1u, 0u, uint64_t(0));
        else if (SlotInfos(MR_HEADER(a.graph).slots).v[i].level == a.level)
            planSlot(i);
    }
}

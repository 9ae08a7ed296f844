// SPDX-License-Identifier: Apache-2.0
// Before a level of a dispatch that is not proven to fit: which of its slots' dispatches will run them, and how many
// workgroups of ours have work. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/level_need.glsl"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { SizeArguments a; };

MR_READ_ONLY_REFERENCE(SizedSlots, SizedSlot, 4);
MR_REFERENCE(SizedTable, SizedDispatches, 4);

shared Need s_needs[gl_WorkGroupSize.x];

Left leftOf(const SizedSlot slot)
{
    return mr_slot_left(SlotInfos(a.graph + uint64_t(slot.info)), StreamStates(a.graph + uint64_t(slot.streamState)),
                        SlotStates(a.graph + uint64_t(slot.state)).v[0].counted);
}

Need needOfLevel()
{
    Need need = Need(uint64_t(0), uint64_t(0));
    for (uint i = gl_LocalInvocationIndex; i < a.slotCount; i += gl_WorkGroupSize.x) {
        SizedSlot slot = SizedSlots(a.slots).v[i];
        Need own = mr_need_of(SlotInfos(a.graph + uint64_t(slot.info)), leftOf(slot));
        need.granules = min(need.granules + own.granules, kTooMuchMemory);
        need.entries = min(need.entries + own.entries, kTooMuchMemory);
    }
    s_needs[gl_LocalInvocationIndex] = need;
    barrier();
    need = Need(uint64_t(0), uint64_t(0));
    for (uint i = 0u; i < min(a.slotCount, gl_WorkGroupSize.x); ++i) {
        need.granules += s_needs[i].granules;
        need.entries += s_needs[i].entries;
    }
    return need;
}

void main()
{
    // Else what is read means nothing, and nobody works.
    bool usable = MR_HEADER(a.graph).magic == kGraphMagic;
    LevelState level = LevelStates(a.graph + uint64_t(SizedSlots(a.slots).v[0].levelState)).v[0];
    bool fits = mr_has_room(level, needOfLevel()) && a.tries != 0u;
    for (uint i = gl_LocalInvocationIndex; i < a.slotCount; i += gl_WorkGroupSize.x) {
        SizedSlot slot = SizedSlots(a.slots).v[i];
        Left left = leftOf(slot);
        // Those that fill the device go on with what is left.
        uint groups = !usable ? 0u : left.isKnown ? min(left.groups, slot.mostGroups) : slot.mostGroups;
        SizedTable(a.sized).v[slot.slot] = SizedDispatches(fits ? groups : 0u, 1u, 1u, fits ? 0u : groups, 1u, 1u);
    }
}

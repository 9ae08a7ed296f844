// SPDX-License-Identifier: Apache-2.0
// Ends a sweep: trims cursors, resets what is drained, reclaims regions, and counts what is left. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/graph.glsl"

layout(local_size_x = MR_INVOCATIONS) in;
layout(push_constant, scalar) uniform Arguments { TurnArguments a; };

shared uint s_remaining;
shared uint s_deepest;  // level with work
shared uint s_granules;
shared uint s_units;

uint64_t totalUnits(const SlotInfo slot, const StreamState stream)
{
    uint entries = uint(stream.counter >> kUnitBits);
    if (entries > stream.capacity)
        return uint64_t(0);  // dropped and reported, see mr_begin()
    return (stream.counter & kUnitMask) * uint64_t(slot.unitsPerPayload);
}

// Where the next sweep begins, for code that reserves nothing. Of `payloads` that have arrived, a slot that may take part
// of them only (SlotInfo::most) takes whole ones.
void setStart(const uint index, const SlotInfo slot, const uint64_t payloads, const uint64_t taken)
{
    NewSlotInfos infos = NewSlotInfos(MR_HEADER(a.graph).slots);
    if (slot.unitsPerPayload == 1u)
        infos.v[index].start = taken;
    else if (slot.most == 0u || slot.most == kTakesAll)
        infos.v[index].startUnit = uint(taken);
    else
        infos.v[index].start = min(infos.v[index].start + uint64_t(slot.most), payloads);
}

void main()
{
    GraphHeaders header = GraphHeaders(a.graph);
    uint own = gl_LocalInvocationIndex;
    uint step = gl_WorkGroupSize.x;
    if (header.v[0].magic != kGraphMagic)
        return;
    if (own == 0u) {
        header.v[0].feedCursor += uint64_t(min(header.v[0].feedTicket, kMaxTicket));
        header.v[0].feedTicket = 0u;
        header.v[0].again = kBoundsLeft;
        bool fed = header.v[0].feedCursor >= header.v[0].feedTotal;
        s_remaining = fed ? 0u : 1u;
        s_deepest = 0u;
        s_granules = 0u;
        uint chunks = uint(min(header.v[0].feedCursor, header.v[0].feedTotal));
        s_units = chunks - header.v[0].feedCounted;
        header.v[0].feedCounted = chunks;
        header.v[0].feedFirstInfo = header.v[0].nextFirstInfo;
        header.v[0].feedFirstChunk += uint64_t(header.v[0].nextFirstChunk);
        header.v[0].nextFirstChunk = 0u;
    }
    StreamStates streams = StreamStates(header.v[0].streamStates);
    for (uint i = own; i < header.v[0].streamCount; i += step)
        streams.v[i].pending = 0u;
    memoryBarrierBuffer();
    barrier();

    SlotStates states = SlotStates(header.v[0].slotStates);
    for (uint i = own; i < header.v[0].slotCount; i += step) {
        SlotInfo slot = SlotInfos(header.v[0].slots).v[i];
        if (slot.level == 0u)
            continue;
        uint64_t total = totalUnits(slot, streams.v[slot.stream]);
        uint64_t taken = mr_taken(slot, states.v[i], total);
        atomicAdd(s_units, uint(taken - states.v[i].counted));
        states.v[i].cursor = taken;
        states.v[i].counted = taken;
        setStart(i, slot, streams.v[slot.stream].counter & kUnitMask, taken);
        if (!MR_LONG_ATOMICS)
            states.v[i].ticket = 0u;
        if (taken < total) {
            streams.v[slot.stream].pending = 1u;
            atomicAdd(s_remaining, 1u);
            atomicMax(s_deepest, slot.level);
        }
    }
    memoryBarrierBuffer();
    barrier();

    NewSlotInfos infos = NewSlotInfos(header.v[0].slots);
    for (uint i = own; i < header.v[0].slotCount; i += step) {
        SlotInfo slot = SlotInfos(header.v[0].slots).v[i];
        if (slot.level > 0u && streams.v[slot.stream].pending == 0u) {
            states.v[i].cursor = uint64_t(0);
            states.v[i].counted = uint64_t(0);
            infos.v[i].start = uint64_t(0);
            infos.v[i].startUnit = 0u;
        }
    }
    barrier();
    for (uint i = own; i < header.v[0].streamCount; i += step)
        if (streams.v[i].pending == 0u) {
            streams.v[i].counter = uint64_t(0);
            if (!MR_LONG_ATOMICS)
                streams.v[i].appended = 0u;
        }

    LevelStates levels = LevelStates(header.v[0].levelStates);
    for (uint l = own; l < header.v[0].levelCount; l += step) {
        atomicAdd(s_granules, levels.v[l].used);
        // Nobody deeper has work, so nobody reads what this level emitted.
        if (l >= s_deepest) {
            levels.v[l].used = 0u;
            levels.v[l].reserved = uint64_t(0);
            if (!MR_LONG_ATOMICS)
                levels.v[l].reservedEntries = 0u;
        } else {
            uint64_t entries = levels.v[l].reserved & ~kReservedMask;
            levels.v[l].reserved = entries | uint64_t(levels.v[l].used);
        }
        if (!MR_LONG_ATOMICS)
            levels.v[l].reservedGranules = levels.v[l].used;
        levels.v[l].startUsed = levels.v[l].used;
        levels.v[l].startEntries =
            MR_LONG_ATOMICS ? uint(levels.v[l].reserved >> kReservedBits) : levels.v[l].reservedEntries;
    }
    barrier();
    if (own == 0u) {
        header.v[0].status.remaining = s_remaining;
        header.v[0].status.sweeps += 1u;
        header.v[0].status.units += s_units;
        header.v[0].status.highWaterGranules = max(header.v[0].status.highWaterGranules, s_granules);
        memoryBarrierBuffer();
        Statuses(header.v[0].hostStatus).v[0] = header.v[0].status;
    }
}

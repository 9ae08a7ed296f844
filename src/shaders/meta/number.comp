// SPDX-License-Identifier: Apache-2.0
// Without 64-bit atomics: in front of a level, numbers the units of what its streams have received since they were
// numbered last. Entries come with their own number of units (device/publish.glsl). A workgroup for each slot of the level.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/graph.glsl"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { NumberArguments a; };

shared uint s_is_second;
shared uint64_t s_units[gl_WorkGroupSize.x];

// Slots share streams; the first in the level's list numbers.
bool isFirstOfStream(const uint number, const uint stream)
{
    Words list = Words(MR_HEADER(a.graph).levelSlots);
    uint first = list.v[a.level];
    barrier();  // the slot before
    if (gl_LocalInvocationIndex == 0u)
        s_is_second = 0u;
    barrier();
    for (uint i = first + gl_LocalInvocationIndex; i < first + number; i += gl_WorkGroupSize.x)
        if (SlotInfos(MR_HEADER(a.graph).slots).v[list.v[i]].stream == stream)
            s_is_second = 1u;
    barrier();
    return s_is_second == 0u;
}

uint unitsOf(const uint kind, const uint64_t table, const uint entry)
{
    return kind == kStreamDynamic ? NewDynamicEntries(table).v[entry].first : NewIndexedEntries(table).v[entry].first;
}

void setFirst(const uint kind, const uint64_t table, const uint entry, const uint64_t first)
{
    if (kind == kStreamDynamic) {
        NewDynamicEntries(table).v[entry].first = uint(first);
        NewDynamicEntries(table).v[entry].gridZAndMore |= uint(first >> 32) << 20;
    } else {
        NewIndexedEntries(table).v[entry].first = uint(first);
    }
}

// Of all invocations before this one; s_units then ends with the sum of all.
uint64_t addUp(const uint64_t units)
{
    uint own = gl_LocalInvocationIndex;
    barrier();
    s_units[own] = units;
    for (uint reach = 1u; reach < gl_WorkGroupSize.x; reach *= 2u) {
        barrier();
        uint64_t other = own >= reach ? s_units[own - reach] : uint64_t(0);
        barrier();
        s_units[own] += other;
    }
    barrier();
    return s_units[own] - units;
}

void numberStream(const uint stream)
{
    StreamStates states = StreamStates(MR_HEADER(a.graph).streamStates);
    uint kind = StreamInfos(MR_HEADER(a.graph).streams).v[stream].kind;
    uint64_t counter = states.v[stream].counter;
    uint64_t table = states.v[stream].table;
    uint capacity = states.v[stream].capacity;
    uint appended = states.v[stream].appended;
    uint begin = uint(counter >> kUnitBits);
    uint end = min(appended, capacity);
    uint each = end > begin ? (end - begin + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x : 0u;
    uint from = min(begin + gl_LocalInvocationIndex * each, end);
    uint to = min(from + each, end);
    uint64_t units = uint64_t(0);
    for (uint i = from; i < to; ++i)
        units += uint64_t(unitsOf(kind, table, i));
    uint64_t first = (counter & kUnitMask) + addUp(units);
    for (uint i = from; i < to; ++i) {
        uint own = unitsOf(kind, table, i);
        setFirst(kind, table, i, first);
        first += uint64_t(own);
    }
    // One entry more than there is room for says as well as many that some were dropped.
    uint entries = min(appended, capacity + 1u);
    // Nobody may still read it.
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u && entries > begin)
        states.v[stream].counter =
            (uint64_t(entries) << kUnitBits) | ((counter & kUnitMask) + s_units[gl_WorkGroupSize.x - 1u]);
}

void main()
{
    // No address that stands in memory which was not initialized may be followed. Behind a return lavapipe would: it goes
    // on with invocations that are off, but not into a loop.
    uint slots = MR_HEADER(a.graph).magic == kGraphMagic ? a.slotCount : 0u;
    for (uint number = gl_WorkGroupID.x; number < slots; number += gl_NumWorkGroups.x) {
        Words list = Words(MR_HEADER(a.graph).levelSlots);
        uint stream = SlotInfos(MR_HEADER(a.graph).slots).v[list.v[list.v[a.level] + number]].stream;
        if (isFirstOfStream(number, stream))
            numberStream(stream);
    }
}

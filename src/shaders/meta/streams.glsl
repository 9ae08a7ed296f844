// SPDX-License-Identifier: Apache-2.0
// How shaders that only look at a graph read its slots and streams. What they assume of the scheduler's counters is here.
#ifndef MILLRACE_META_STREAMS_GLSL
#define MILLRACE_META_STREAMS_GLSL

#include "device/graph.glsl"

uint mr_stream_entries(const StreamState stream)
{
    return min(uint(stream.counter >> kUnitBits), stream.capacity);
}

// As turn.comp: what was dropped for want of entries counts as nothing.
uint64_t mr_slot_total(const SlotInfo slot, const StreamState stream)
{
    if (uint(stream.counter >> kUnitBits) > stream.capacity)
        return uint64_t(0);
    return (stream.counter & kUnitMask) * uint64_t(slot.unitsPerPayload);
}

// Payloads that a stream has received.
uint64_t mr_stream_payloads(const uint kind, const StreamState stream)
{
    return kind == kStreamDynamic ? uint64_t(mr_stream_entries(stream)) : stream.counter & kUnitMask;
}

uint64_t mr_dynamic_unit(const DynamicEntry entry)
{
    return uint64_t(entry.first) | uint64_t(entry.gridZAndMore >> 20) << 32;
}

// Payloads of the stream whose first unit lies before `unit`.
uint64_t mr_payloads_before(const SlotInfo slot, const StreamState stream, const uint64_t unit)
{
    if (slot.kind == kKindDynamic) {
        uint low = 0u;
        uint high = mr_stream_entries(stream);
        while (low < high) {
            uint middle = (low + high) / 2u;
            if (mr_dynamic_unit(DynamicEntries(stream.table).v[middle]) < unit)
                low = middle + 1u;
            else
                high = middle;
        }
        return uint64_t(low);
    }
    if (slot.unitsPerPayload <= 1u)
        return unit;
    // By bisection, since drivers get 64-bit divisions wrong (plan.comp).
    uint64_t low = uint64_t(0);
    uint64_t high = stream.counter & kUnitMask;
    while (low < high) {
        uint64_t middle = (low + high) >> 1;
        if (middle * uint64_t(slot.unitsPerPayload) < unit)
            low = middle + uint64_t(1);
        else
            high = middle;
    }
    return low;
}

// Where payload `number` of a stream lies. Requires: it has so many.
uint64_t mr_stream_payload(const uint64_t graph, const uint kind, const StreamState stream, const uint stride,
                           const uint number)
{
    if (kind == kStreamDynamic) {
        DynamicEntry entry = DynamicEntries(stream.table).v[number];
        return mr_address(graph, entry.location) + uint64_t(entry.gridZAndMore >> 16 & (kGranuleBytes - 1u));
    }
    uint low = 0u;
    uint high = mr_stream_entries(stream);
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (IndexedEntries(stream.table).v[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    IndexedEntry entry = IndexedEntries(stream.table).v[low];
    return mr_address(graph, entry.location) + uint64_t(number - entry.first) * uint64_t(stride);
}

#endif

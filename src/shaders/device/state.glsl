// SPDX-License-Identifier: Apache-2.0
// What a workgroup of ours knows about the node that it runs: the slot, its stream, its current chunk.
#ifndef MILLRACE_DEVICE_STATE_GLSL
#define MILLRACE_DEVICE_STATE_GLSL

#include "device/publish.glsl"

layout(constant_id = 2000) const uint MR_KIND = 0u;
layout(constant_id = 2001) const uint MR_WORKGROUP_SIZE = 64u;
layout(constant_id = 2002) const uint MR_INPUT_TABLE = 1u;
layout(constant_id = 2003) const bool MR_INDIRECT = false;
layout(constant_id = 2004) const uint MR_EMITS = kEmitsToSeveral;
layout(constant_id = 2005) const bool MR_BATCHED = true;  // the dispatch may run several slots
layout(constant_id = 2006) const uint MR_SUBGROUP_SIZE = 1u;  // the device's smallest

MR_REFERENCE(IndirectTable, IndirectArguments, 8);

const uint kNoHandleQueue = 0x1ffffu;

// Without initializers: GLSL runs those at the start of a shader's own main(), and a library has none. mr_begin() sets
// them.

// What mr_begin() learned; the same in all invocations.
uint64_t g_graph;
uint64_t g_queues;    // as in the GraphHeader
uint64_t g_node_map;  // likewise
uint64_t g_states;    // StreamStates
uint64_t g_work;      // NodeArguments::work
bool g_fits;

// The slot that runs.
uint64_t g_slot;     // SlotInfo
uint64_t g_outputs;  // OutputInfo of its outputs
uint64_t g_table;    // entries of its stream,
uint g_entries;      // so many
uint64_t g_total;    // units of the slot
uint g_level;
uint g_base;        // SlotInfo::base
uint g_only_queue;  // where everything goes, if that is one queue and everything fits
uint g_only_stride;
uint64_t g_only_table;  // of its indexed stream
uint g_only_capacity;

// The current chunk: what this workgroup of ours has taken to run.
uint64_t g_unit;         // its next unit
uint64_t g_end;          // its end
uint g_reserved_groups;  // for which memory was reserved
uint g_location;         // granule where its memory begins, and
uint g_limit;            // how much there is, in what s_used counts (where everything fits)

// The current workgroup (packed: the invocation's own).
uint64_t g_payload;
uvec3 g_group_id;
uint g_group;        // its number among the payload's workgroups
uvec2 g_grid;        // width and height of their grid
uint g_group_count;  // workgroups of the payload
uint g_input_count;
bool g_counts_clear;  // s_counts are 0

// The entry found last by mr_seek(). Units only grow.
uint g_entry;
uint64_t g_entry_first;
uint64_t g_entry_end;
uint g_entry_location;

shared uint s_failed;  // what s_used was when it first went beyond g_limit
#ifndef MR_PACKED
shared uint64_t s_input[MR_INPUT_TABLE];
#endif

#define MR_SLOT SlotInfos(g_slot).v[0]
#define MR_QUEUE(queue) QueueInfos(g_queues).v[queue]

uint mr_units_per_group()
{
    return MR_KIND == kKindPacked ? MR_WORKGROUP_SIZE : MR_KIND == kKindCoalescing ? MR_INPUT_TABLE : 1u;
}

uint64_t mr_dynamic_first(const DynamicEntry entry)
{
    return uint64_t(entry.first) | uint64_t(entry.gridZAndMore >> 20) << 32;
}

uint64_t mr_entry_first(const uint64_t table, const uint entry)
{
    return MR_KIND == kKindDynamic ? mr_dynamic_first(DynamicEntries(table).v[entry])
                                   : uint64_t(IndexedEntries(table).v[entry].first);
}

// Units of a stream. Entries beyond its capacity were dropped and reported; the last one that is there has no known end.
uint64_t mr_stream_units(const uint64_t counter, const uint capacity, const uint64_t table)
{
    if (uint(counter >> kUnitBits) <= capacity)
        return counter & kUnitMask;
    return capacity > 0u ? mr_entry_first(table, capacity - 1u) : uint64_t(0);
}

// Turns to a slot. Requires: the memory was initialized.
void mr_use_slot(const uint64_t slot, const uint64_t streamState)
{
    g_slot = slot;
    StreamStates stream = StreamStates(streamState);
    uint64_t counter = stream.v[0].counter;
    uint capacity = stream.v[0].capacity;
    g_table = stream.v[0].table;
    g_entry_location = stream.v[0].firstLocation;
    g_outputs = MR_HEADER(g_graph).outputs + uint64_t(MR_SLOT.firstOutput * kOutputInfoBytes);
    g_level = MR_SLOT.level;
    g_base = MR_SLOT.base;
    g_only_queue = g_fits ? MR_SLOT.onlyQueue : kNoQueue;
    g_only_stride = MR_SLOT.onlyStride;
    // Long before they are needed.
    g_only_table = uint64_t(0);
    g_only_capacity = 0u;
    if (MR_EMITS != kEmitsNothing && g_only_queue != kNoQueue && MR_SLOT.onlyStream != kNoStream) {
        StreamStates only = mr_stream_state(g_states, MR_SLOT.onlyStream);
        g_only_table = only.v[0].table;
        g_only_capacity = only.v[0].capacity;
    }
    g_entries = min(uint(counter >> kUnitBits), capacity);
    g_total = mr_stream_units(counter, capacity, g_table);
    if (MR_KIND == kKindStatic)
        g_total *= uint64_t(MR_SLOT.unitsPerPayload);
    // A single entry needs no search.
    g_entry = 0u;
    g_entry_first = uint64_t(0);
    g_entry_end = g_entries == 1u ? ~uint64_t(0) : uint64_t(0);
}

// n / d where that is below 2^32. Not the 64-bit operator: it costs a hundred instructions, and NVIDIA 580.159 gets it
// wrong in places (meta/plan.comp).
uint mr_divide(const uint64_t n, const uint d)
{
    uvec2 words = unpackUint2x32(n);
    if (words.y == 0u)
        return words.x / d;
    uint rest = words.y;
    uint quotient = 0u;
    for (uint bit = 0u; bit < 32u; ++bit) {
        bool carry = rest >= 0x80000000u;
        rest = rest << 1 | words.x >> 31;
        words.x <<= 1;
        quotient <<= 1;
        if (carry || rest >= d) {
            rest -= d;
            quotient |= 1u;
        }
    }
    return quotient;
}

#endif

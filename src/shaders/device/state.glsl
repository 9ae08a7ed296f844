// SPDX-License-Identifier: Apache-2.0
// What a workgroup of ours knows about the node that it runs: the slot, its stream, its current chunk.
#ifndef MILLRACE_DEVICE_STATE_GLSL
#define MILLRACE_DEVICE_STATE_GLSL

#include "device/publish.glsl"
#include "device/shape.glsl"

// MR_FITS: where nothing is reserved, since everything fits, the level does or the slot sends nothing. Then units of all
// but dynamic streams are below 2^31 (graph::plan, meta/fit.comp, SlotInfo::most), and MR_NARROW makes them 32 bits wide.
#if defined(MR_NARROW)
#define Unit uint
#else
#define Unit uint64_t
#endif

MR_REFERENCE(IndirectTable, IndirectArguments, 8);

// Workgroups of ours in this dispatch, of the direct path alone. Behind an indirect dispatch the built-in is not to be
// trusted: with NVIDIA 580.159, in a command buffer that runs again, it may be what it was the time before (docs/gpu.md).
uint mr_group_count()
{
    return gl_NumWorkGroups.x;
}

// On the indirect path the table that the plan shader wrote says how large the grid is.
uint mr_linear_group(const IndirectArguments grid)
{
    return gl_WorkGroupID.x + grid.groupsX * (gl_WorkGroupID.y + grid.groupsY * gl_WorkGroupID.z);
}

// Where payloads go: to the one queue of the slot, with what its chunk has; or to an area of the chunk for each queue.
#if defined(MR_FITS)
#define MR_FROM_CHUNK (MR_EMITS == kEmitsToOne)
#define MR_FROM_AREAS (MR_EMITS == kEmitsToFew)
#else
#define MR_FROM_CHUNK false
#define MR_FROM_AREAS false
#endif

// Whether the code looks at outputs while it allocates: else it knows where everything goes. (In one expression, glslang
// 15 makes a constant of it with an operand that nobody defines.)
bool mr_looks_at_outputs()
{
    if (MR_EMITS == kEmitsNothing)
        return false;
    if (MR_FROM_CHUNK && MR_ALWAYS_RECEIVED)
        return false;
    return true;
}

// Likewise at queues.
bool mr_looks_at_queues()
{
    if (MR_SENDS_GRIDS || MR_SENDS_TRACKED)
        return true;
    return mr_looks_at_outputs();
}

const uint kNoHandleQueue = 0x1ffffu;

// Without initializers: GLSL runs those at the start of a shader's own main(), and a library has none. mr_begin() sets
// them.

// What mr_begin() learned; the same in all invocations.
uint64_t g_graph;
uint64_t g_work;      // NodeArguments::work
// Else there is nothing to do, and no address that stands in the memory may be followed. What is at addresses that the
// host knows may be read all the same, so that no load waits for this one.
bool g_initialized;

// The slot that runs.
uint64_t g_slot;     // SlotInfo
uint64_t g_table;    // entries of its stream,
uint g_entries;      // so many
bool g_single;       // each of one unit, so that nobody searches
Unit g_total;        // units of the slot
#if defined(MR_FITS)
Unit g_start;        // payloads of the stream in front of them (SlotInfo::start)
#endif
uint g_level;
uint g_input_stride;

// The current chunk: what this workgroup of ours has taken to run.
Unit g_unit;  // its next unit
Unit g_end;   // its end

// The current workgroup (packed or side by side: the invocation's own).
uint64_t g_payload;
uvec3 g_group_id;
uvec2 g_grid;        // dynamic: width and height of the grid,
uint g_group_count;  // workgroups of the payload
uint g_run;          // so many of them follow in the chunk
uint g_input_count;
bool g_counts_clear;  // s_counts are 0

// The entry found last by mr_seek(). Units only grow.
uint g_entry;
Unit g_entry_first;
Unit g_entry_end;
uint g_entry_location;

// What only nodes that emit need, and only now and then, is not worth registers, of which an H200 has too few for its
// workgroups (docs/experiments.md). Invocation 0 writes it, a barrier follows.
shared uint64_t s_queues;    // as in the GraphHeader
shared uint64_t s_node_map;  // likewise
shared uint64_t s_states;    // StreamStates
shared uint64_t s_outputs;   // OutputInfo of the slot's outputs,
shared OutputInfo s_output[MR_OUTPUTS > 0u ? MR_OUTPUTS : 1u];  // and the first of them

#if !defined(MR_PACKED)
// Payloads of all invocations in one allocation, and in the next; g_turn is the number of the next.
shared uint s_sent[2];
uint g_turn;
#endif

#if !defined(MR_PACKED)
shared uint64_t s_input[MR_INPUT_TABLE];
#endif

#define MR_SLOT SlotInfos(g_slot).v[0]
#define MR_QUEUE(queue) QueueInfos(s_queues).v[queue]

// Payload of the stream (dynamic: workgroup), if they are counted as the slot's units are.
Unit mr_in_stream(const Unit payload)
{
#if defined(MR_FITS)
    return payload + g_start;
#else
    return payload;
#endif
}

uint mr_input_stride()
{
    return MR_INPUT_STRIDE > 0u ? MR_INPUT_STRIDE : g_input_stride;
}

uint64_t mr_dynamic_first(const DynamicEntry entry)
{
    return uint64_t(entry.first) | uint64_t(entry.gridZAndMore >> 20) << 32;
}

Unit mr_entry_first(const uint64_t table, const uint entry)
{
    return MR_KIND == kKindDynamic ? Unit(mr_dynamic_first(DynamicEntries(table).v[entry]))
                                   : Unit(IndexedEntries(table).v[entry].first);
}

// Units of a stream. Entries beyond its capacity were dropped and reported; the last one that is there has no known end.
Unit mr_stream_units(const uint64_t counter, const uint capacity, const uint64_t table)
{
    if (uint(counter >> kUnitBits) <= capacity)
        return Unit(counter & kUnitMask);
    return capacity > 0u ? mr_entry_first(table, capacity - 1u) : Unit(0u);
}

uint64_t mr_slot_outputs()
{
    return MR_HEADER(g_graph).outputs + uint64_t(MR_SLOT.firstOutput * kOutputInfoBytes);
}

uint64_t mr_outputs()
{
    return mr_looks_at_outputs() ? s_outputs : mr_slot_outputs();
}

OutputInfo mr_output(const uint number)
{
    if (MR_EMITS != kEmitsNothing && number < MR_OUTPUTS)
        return s_output[number];
    return OutputInfos(mr_outputs()).v[number];
}

uint64_t mr_node_map()
{
    return mr_looks_at_outputs() ? s_node_map : MR_HEADER(g_graph).nodeMap;
}

void mr_begin_emitting()
{
    if (MR_EMITS == kEmitsNothing)
        return;
    mr_begin_notes();
    if (gl_LocalInvocationIndex == 0u) {
        if (mr_looks_at_queues())
            s_queues = MR_HEADER(g_graph).queues;
        if (mr_looks_at_outputs())
            s_node_map = MR_HEADER(g_graph).nodeMap;
        if (!MR_FROM_CHUNK)
            s_states = MR_HEADER(g_graph).streamStates;
#if !defined(MR_PACKED)
        s_sent[0] = 0u;
        s_sent[1] = 0u;
#endif
    }
#if !defined(MR_PACKED)
    g_turn = 0u;
#endif
}

// Turns to a slot, which is empty if the memory was not initialized.
void mr_use_slot(const uint64_t slot, const uint64_t streamState)
{
    g_slot = slot;
    StreamStates stream = StreamStates(streamState);
    uint64_t counter = g_initialized ? stream.v[0].counter : uint64_t(0);
    uint capacity = stream.v[0].capacity;
    g_table = stream.v[0].table;
    g_entry_location = stream.v[0].firstLocation;
    if (mr_looks_at_outputs()) {
        uint64_t outputs = mr_slot_outputs();
        if (gl_LocalInvocationIndex == 0u)
            s_outputs = outputs;
        for (uint i = gl_LocalInvocationIndex; g_initialized && i < MR_OUTPUTS; i += MR_WORKGROUP_SIZE)
            s_output[i] = OutputInfos(outputs).v[i];
    }
    g_level = MR_SLOT.level;
    g_input_stride = MR_SLOT.payloadStride;
    g_entries = min(uint(counter >> kUnitBits), capacity);
    Unit payloads = mr_stream_units(counter, capacity, g_table);
#if defined(MR_FITS)
    uint most = MR_SLOT.most;
    g_start = Unit(MR_SLOT.start);
    payloads -= min(payloads, g_start);
    if (most != kTakesAll)
        payloads = min(payloads, Unit(most));
#endif
    g_total = payloads * Unit(mr_units_per_payload());
    g_single = (counter & kUnitMask) == counter >> kUnitBits;
    // A single entry needs no search.
    g_entry = 0u;
    g_entry_first = Unit(0u);
    g_entry_end = g_entries == 1u ? ~Unit(0u) : Unit(0u);
}

// unit / d where that is below 2^32. Not the 64-bit operator: it costs a hundred instructions, and NVIDIA 580.159 gets it
// wrong in places (meta/plan.comp).
uint mr_divide(const Unit unit, const uint d)
{
#if defined(MR_NARROW)
    return unit / d;
#else
    uvec2 words = unpackUint2x32(unit);
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
#endif
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The functions that lowered node shaders call; docs/design.md, "Device functions", lists them.
// MR_PACKED: single-invocation nodes, where every invocation is a workgroup of its own and nothing may be collective.
#ifndef MILLRACE_DEVICE_NODE_GLSL
#define MILLRACE_DEVICE_NODE_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "device/publish.glsl"

layout(constant_id = 2000) const uint MR_KIND = 0u;
layout(constant_id = 2001) const uint MR_WORKGROUP_SIZE = 64u;
layout(constant_id = 2002) const uint MR_INPUT_TABLE = 1u;
layout(constant_id = 2003) const bool MR_INDIRECT = false;

MR_REFERENCE(IndirectTable, IndirectArguments, 8);

const uint kNoHandleQueue = 0x1ffffu;
const uint kMaxChunkGroups = 16u;

// Without initializers: GLSL runs those at the start of a shader's own main(), and a library has none. mr_begin() sets
// them.

// What mr_begin() learned; the same in all invocations.
uint64_t g_graph;
uint64_t g_slot;      // SlotInfo
uint64_t g_outputs;   // OutputInfo of its outputs
uint64_t g_queues;    // as in the GraphHeader
uint64_t g_node_map;  // likewise
uint64_t g_states;    // StreamStates
uint64_t g_work;      // NodeArguments::work
uint64_t g_table;     // entries of the slot's stream,
uint g_entries;       // so many
uint64_t g_total;     // units of the slot
uint g_level;
bool g_fits;
uint g_only_queue;  // where everything goes, if that is one queue and everything fits
uint g_only_stride;

// What this workgroup of ours does next.
uint64_t g_chunk;     // next chunk (where everything fits), in workgroups of ours
uint g_chunk_groups;  // workgroups of ours in a chunk
bool g_counts_clear;  // s_counts are 0

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

// The entry found last by mr_seek(). Units only grow.
uint g_entry;
uint64_t g_entry_first;
uint64_t g_entry_end;
uint g_entry_location;

shared uint64_t s_ticket;
shared uint s_ticket_groups;
shared uint s_failed;  // what s_used was when it first went beyond g_limit
#ifndef MR_PACKED
shared uint64_t s_address;
shared uint s_finished;
shared uint s_counts[kMaxHistogram];
shared uint64_t s_addresses[kMaxHistogram];
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

// First unit of an entry.
uint64_t mr_entry_first(const uint entry)
{
    return MR_KIND == kKindDynamic ? mr_dynamic_first(DynamicEntries(g_table).v[entry])
                                   : uint64_t(IndexedEntries(g_table).v[entry].first);
}

void mr_begin_chunks()
{
    if (MR_INDIRECT) {
        // One workgroup each, from where the plan shader began.
        IndirectTable table = IndirectTable(g_work);
        uint64_t linear = uint64_t(gl_WorkGroupID.x) +
                          uint64_t(gl_NumWorkGroups.x) *
                              (uint64_t(gl_WorkGroupID.y) + uint64_t(gl_NumWorkGroups.y) * uint64_t(gl_WorkGroupID.z));
        g_chunk = linear < uint64_t(table.v[0].groupCount) ? linear : ~uint64_t(0);
        g_chunk_groups = 1u;
        return;
    }
    // Several workgroups in a row save searches; enough chunks to fill the grid four times keep it balanced.
    float groups = float(g_total) / float(mr_units_per_group());
    g_chunk_groups = uint(clamp(groups / float(gl_NumWorkGroups.x * 4u), 1.0, float(kMaxChunkGroups)));
    g_chunk = uint64_t(gl_WorkGroupID.x) * uint64_t(g_chunk_groups);
}

void mr_begin(const uvec4 a, const uvec4 b)
{
    g_graph = packUint2x32(a.xy);
    g_slot = g_graph + uint64_t(a.z & ~kFlagMask);
    g_fits = (a.z & kFlagFits) != 0u;
    g_work = packUint2x32(b.zw);
    g_unit = uint64_t(0);
    g_end = uint64_t(0);
    g_reserved_groups = 0u;
    g_location = 0u;
    g_limit = 0u;
    g_payload = uint64_t(0);
    g_group_id = uvec3(0u);
    g_group = 0u;
    g_grid = uvec2(1u);
    g_group_count = 0u;
    g_input_count = 0u;
    g_entry = 0u;
    g_entry_first = uint64_t(0);
    g_entry_end = uint64_t(0);
    g_entry_location = 0u;
    g_counts_clear = false;
    g_error_count = 0u;
    g_queues = MR_HEADER(g_graph).queues;
    g_node_map = MR_HEADER(g_graph).nodeMap;
    g_states = MR_HEADER(g_graph).streamStates;
    g_outputs = MR_HEADER(g_graph).outputs + uint64_t(MR_SLOT.firstOutput * kOutputInfoBytes);
    g_level = MR_SLOT.level;
    g_only_stride = MR_SLOT.onlyStride;
    StreamStates stream = StreamStates(g_graph + uint64_t(a.w));
    uint64_t counter = stream.v[0].counter;
    uint capacity = stream.v[0].capacity;
    g_table = stream.v[0].table;
    g_only_queue = g_fits ? MR_SLOT.onlyQueue : kNoQueue;
    g_entries = uint(counter >> kUnitBits);
    g_total = counter & kUnitMask;
    if (MR_HEADER(g_graph).magic != kGraphMagic) {
        g_entries = 0u;
        g_total = uint64_t(0);
    } else if (g_entries > capacity) {
        // Entries were dropped and reported; the last one that is there has no known end.
        g_entries = capacity;
        g_total = capacity > 0u ? mr_entry_first(capacity - 1u) : uint64_t(0);
    }
    if (MR_KIND == kKindStatic)
        g_total *= uint64_t(MR_SLOT.unitsPerPayload);
    mr_begin_chunks();
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

// Where everything fits: what went to a single queue lies one after the other and becomes one run.
void mr_publish_chunk()
{
    if (g_only_queue != kNoQueue && g_end > uint64_t(0)) {
        uint count = min(s_used, s_failed);
        if (count > 0u)
            mr_publish_run(g_states, MR_SLOT.onlyStream, g_location, count);
    }
}

// Memory for `units` units, which begin with workgroup `first` of ours, where everything fits: theirs by their number, so
// that nobody has to ask.
void mr_locate_memory(const uint first, const uint units)
{
    const uint kEnough = 0x7fffffffu;
    uint granules = MR_SLOT.granulesPerGroup;
    g_location = (MR_INDIRECT ? IndirectTable(g_work).v[0].base : uint(g_work)) + first * granules;
    uint perGroup = mr_units_per_group();
    uint64_t limit = MR_KIND == kKindPacked ? uint64_t(granules / MR_WORKGROUP_SIZE) * uint64_t(units)
                                            : uint64_t(granules) * uint64_t((units + perGroup - 1u) / perGroup);
    if (g_only_queue != kNoQueue) {
        limit *= uint64_t(kGranuleBytes);
        limit = g_only_stride > 0u ? uint64_t(mr_divide(limit, g_only_stride)) : uint64_t(kEnough);
    }
    g_limit = uint(min(limit, uint64_t(kEnough)));
}

// The next chunk where everything fits. Chunk by chunk, workgroups stride over all units.
bool mr_take_fitting()
{
    if (gl_LocalInvocationIndex == 0u) {
        mr_publish_chunk();
        s_used = 0u;
        s_failed = ~0u;
    }
    uint perGroup = mr_units_per_group();
    g_unit = g_chunk * uint64_t(perGroup);
    if (g_chunk == ~uint64_t(0) || g_unit >= g_total)
        return false;
    uint64_t left = g_total - g_unit;
    g_end = g_unit + min(left, uint64_t(g_chunk_groups * perGroup));
    mr_locate_memory(uint(g_chunk), uint(g_end - g_unit));
    g_chunk = MR_INDIRECT ? ~uint64_t(0) : g_chunk + uint64_t(g_chunk_groups * gl_NumWorkGroups.x);
    barrier();
    return true;
}

// Reserves memory for the next chunk and takes its units from the slot's cursor. Nobody waits: where memory is
// short, this workgroup of ours stops and the units stay for a later sweep.
void mr_take_ticket()
{
    uint granules = MR_SLOT.granulesPerGroup;
    uint entries = MR_SLOT.entriesPerGroup;
    uint level = g_level;
    uint unitsPerGroup = mr_units_per_group();
    uint64_t reserved = uint64_t(granules) * uint64_t(g_reserved_groups);
    if (reserved > uint64_t(s_used))
        mr_return_reservation(g_graph, level, reserved - uint64_t(s_used), uint64_t(0));
    s_used = 0u;
    s_ticket_groups = 0u;

    uint slot = uint(g_slot - MR_HEADER(g_graph).slots) / kSlotInfoBytes;
    SlotStates states = SlotStates(MR_HEADER(g_graph).slotStates);
    if (states.v[slot].cursor >= g_total)
        return;
    uint groups = mr_reserve(g_graph, level, granules, entries, g_chunk_groups);
    if (groups == 0u)
        return;
    uint64_t units = uint64_t(groups) * uint64_t(unitsPerGroup);
    uint64_t first = atomicAdd(states.v[slot].cursor, units);
    if (first >= g_total) {
        mr_return_reservation(g_graph, level, uint64_t(granules) * uint64_t(groups),
                              uint64_t(entries) * uint64_t(groups));
        return;
    }
    s_ticket = first;
    s_ticket_groups = groups;
}

// The same on the indirect path, where the plan shader has reserved and taken.
bool mr_take_planned()
{
    if (g_chunk == ~uint64_t(0))
        return false;
    g_unit = IndirectTable(g_work).v[0].firstUnit + g_chunk * uint64_t(mr_units_per_group());
    g_end = min(g_unit + uint64_t(mr_units_per_group()), g_total);
    g_chunk = ~uint64_t(0);
    return g_unit < g_end;
}

bool mr_take_chunk()
{
    // Also where the memory is not initialized, and the tables are nowhere.
    if (g_total == uint64_t(0))
        return false;
    if (g_fits)
        return mr_take_fitting();
    if (MR_INDIRECT)
        return mr_take_planned();
    if (gl_LocalInvocationIndex == 0u)
        mr_take_ticket();
    barrier();
    g_unit = s_ticket;
    g_reserved_groups = s_ticket_groups;
    g_end = min(g_unit + uint64_t(g_reserved_groups) * uint64_t(mr_units_per_group()), g_total);
    return g_reserved_groups > 0u;
}

// Finds the entry that holds `unit`, the same for all invocations of a subgroup and not before the last one: the last
// entry whose first unit is not above it. All lanes look at once, each at another entry.
void mr_seek(const uint64_t unit)
{
    if (unit < g_entry_end)
        return;
    uint low = g_entry;
    // Every entry holds a unit at least.
    uint high = uint(min(uint64_t(g_entries), uint64_t(low) + (unit - g_entry_first) + uint64_t(1)));
    while (high - low > 1u) {
        uvec4 together = subgroupBallot(true);
        uint parts = subgroupBallotBitCount(together) + 1u;
        uint step = (high - low + parts - 1u) / parts;
        uint at = low + (subgroupBallotExclusiveBitCount(together) + 1u) * step;
        bool notAbove = at < high && mr_entry_first(at) <= unit;
        low += subgroupBallotBitCount(subgroupBallot(notAbove)) * step;
        high = min(low + step, high);
    }
    g_entry = low;
    if (MR_KIND == kKindDynamic) {
        g_entry_first = mr_entry_first(low);
    } else {
        IndexedEntry entry = IndexedEntries(g_table).v[low];
        g_entry_first = uint64_t(entry.first);
        g_entry_location = entry.location;
    }
    g_entry_end = low + 1u < g_entries ? mr_entry_first(low + 1u) : ~uint64_t(0);
}

// The payload `unit` of an indexed stream, not before the entry of the last mr_seek().
uint64_t mr_indexed_payload(const uint64_t unit)
{
    uint64_t first = g_entry_first;
    uint location = g_entry_location;
    if (unit >= g_entry_end) {
        IndexedEntries entries = IndexedEntries(g_table);
        uint low = g_entry + 1u;
        uint high = uint(min(uint64_t(g_entries), uint64_t(low) + (unit - g_entry_end) + uint64_t(1)));
        while (high - low > 1u) {
            uint middle = (low + high) / 2u;
            if (uint64_t(entries.v[middle].first) <= unit)
                low = middle;
            else
                high = middle;
        }
        IndexedEntry entry = entries.v[low];
        first = uint64_t(entry.first);
        location = entry.location;
    }
    return mr_address(g_graph, location) + (unit - first) * uint64_t(MR_SLOT.payloadStride);
}

// Numbers inside a payload's grid cost divisions; the next workgroup of the same payload does without.
void mr_set_group(const uint group, const uvec2 grid)
{
    uint row = group / grid.x;
    uint plane = row / grid.y;
    g_group = group;
    g_group_id = uvec3(group - row * grid.x, row - plane * grid.y, plane);
    g_grid = grid;
}

bool mr_step_group()
{
    if (++g_group >= g_group_count)
        return false;
    ++g_group_id.x;
    if (g_group_id.x == g_grid.x) {
        g_group_id.x = 0u;
        ++g_group_id.y;
        if (g_group_id.y == g_grid.y) {
            g_group_id.y = 0u;
            ++g_group_id.z;
        }
    }
    return true;
}

void mr_locate_dynamic(const uint64_t unit)
{
    mr_seek(unit);
    DynamicEntry entry = DynamicEntries(g_table).v[g_entry];
    uvec3 grid = uvec3(entry.gridXY & 0xffffu, entry.gridXY >> 16, entry.gridZAndMore & 0xffffu);
    mr_set_group(uint(unit - g_entry_first), grid.xy);
    g_group_count = grid.x * grid.y * grid.z;
    g_payload = mr_address(g_graph, entry.location) + uint64_t(entry.gridZAndMore >> 16 & (kGranuleBytes - 1u));
    g_input_count = 1u;
}

void mr_locate_static(const uint64_t unit)
{
    uint perPayload = MR_SLOT.unitsPerPayload;
    uint64_t payload = uint64_t(mr_divide(unit, perPayload));
    mr_seek(payload);
    g_payload = mr_indexed_payload(payload);
    mr_set_group(uint(unit - payload * uint64_t(perPayload)), uvec2(MR_SLOT.gridX, MR_SLOT.gridY));
    g_group_count = perPayload;
    g_input_count = 1u;
}

#ifdef MR_PACKED
void mr_locate_packed(const uint64_t unit)
{
    mr_seek(unit);
    uint64_t own = unit + uint64_t(gl_LocalInvocationIndex);
    g_input_count = own < g_end ? 1u : 0u;
    if (g_input_count > 0u)
        g_payload = mr_indexed_payload(own);
}
#else
void mr_locate_coalescing(const uint64_t unit)
{
    mr_seek(unit);
    g_input_count = uint(min(uint64_t(MR_INPUT_TABLE), g_end - unit));
    for (uint i = gl_LocalInvocationIndex; i < g_input_count; i += MR_WORKGROUP_SIZE)
        s_input[i] = mr_indexed_payload(unit + uint64_t(i));
    barrier();
}
#endif

bool mr_next()
{
    mr_report(g_graph, MR_SLOT.name);
    // The workgroup before has left shared memory.
    barrier();
    if (g_unit >= g_end) {
        if (!mr_take_chunk())
            return false;
        g_group_count = 0u;
    }
#ifdef MR_PACKED
    mr_locate_packed(g_unit);
#else
    if (MR_KIND == kKindCoalescing)
        mr_locate_coalescing(g_unit);
    else if (!mr_step_group()) {
        if (MR_KIND == kKindDynamic)
            mr_locate_dynamic(g_unit);
        else
            mr_locate_static(g_unit);
    }
#endif
    g_unit += uint64_t(mr_units_per_group());
    return true;
}

bool mr_active()
{
    return g_input_count > 0u;
}

uvec3 mr_workgroup_id()
{
    return g_group_id;
}

uint mr_input_count()
{
    return g_input_count;
}

uint mr_remaining_recursion()
{
    return MR_SLOT.remainingRecursion;
}

uint mr_shader_index()
{
    return MR_SLOT.shaderIndex;
}

uint64_t mr_input_element(const uint i)
{
#ifndef MR_PACKED
    if (MR_KIND == kKindCoalescing)
        return s_input[min(i, MR_INPUT_TABLE - 1u)];
#endif
    return g_payload;
}

// An input handle has no queue and no memory of its own; mr_element() sends it to mr_input_element().
uvec4 mr_input_handle()
{
    return uvec4(0u, 0u, g_input_count, kNoHandleQueue << 15);
}

uint64_t mr_element(const uvec4 handle, const uint i)
{
    uint64_t address = packUint2x32(handle.xy);
    if (address == uint64_t(0))
        return mr_input_element(i);
    return address + uint64_t(i) * uint64_t((handle.w & 0x7fffu) * 4u);
}

uint mr_array_length(const uvec4 handle)
{
    return handle.z & 0x7fffffffu;
}

uint mr_queue(const uint payload_type, const uint node_index)
{
    OutputInfo info = OutputInfos(g_outputs).v[payload_type];
    if (node_index >= info.mapCount)
        return kNoQueue;
    return node_index == 0u ? info.first : Words(g_node_map).v[info.mapFirst + node_index];
}

bool mr_is_valid(const uint payload_type, const uint node_index)
{
    return mr_queue(payload_type, node_index) != kNoQueue;
}

// Payloads that nobody receives all share one place that nobody reads.
uvec4 mr_trash_handle(const uint count)
{
    return uvec4(unpackUint2x32(mr_address(g_graph, MR_HEADER(g_graph).trashLocation)), count, kNoHandleQueue << 15);
}

// Of `count` payloads from number `index` on; `address` 0 is trash.
uvec4 mr_handle(const uint queue, const uint64_t address, const uint index, const uint count)
{
    if (address == uint64_t(0))
        return mr_trash_handle(count);
    uint stride = g_only_queue != kNoQueue ? g_only_stride : MR_QUEUE(queue).stride;
    return uvec4(unpackUint2x32(address + uint64_t(index) * uint64_t(stride)), count, stride / 4u | queue << 15);
}

// Takes so much of the chunk's memory, in what s_used counts. Returns where, or kNoLocation if the node allocates more
// than it declared: then nothing behind is taken either, so that what was taken has no holes.
uint mr_take(const uint amount, const uint count)
{
    uint before = kNoLocation;
    if (s_used <= g_limit) {
        before = atomicAdd(s_used, min(amount, g_limit + 1u));
        if (before <= g_limit && amount <= g_limit - before)
            return before;
        atomicMin(s_failed, before);
    }
    mr_note(kErrorPayloadCount, count);
    return kNoLocation;
}

// Memory for `count` > 0 payloads that lie one after the other, where everything goes to one queue: published with the
// chunk. Returns the address, 0 if there is none.
uint64_t mr_take_payloads(const uint count)
{
    uint index = mr_take(count, count);
    return index == kNoLocation ? uint64_t(0)
                                : mr_address(g_graph, g_location) + uint64_t(index) * uint64_t(g_only_stride);
}

// The same with several queues: published at once.
uint64_t mr_take_run(const uint queue, const uint count)
{
    uint64_t granules = mr_granules(MR_QUEUE(queue).stride, count);
    uint location;
    if (g_fits) {
        location = mr_take(uint(min(granules, uint64_t(0x7fffffffu))), count);
        if (location != kNoLocation)
            location += g_location;
    } else {
        location = mr_take_granules(g_graph, g_level, granules, count);
    }
    if (location == kNoLocation)
        return uint64_t(0);
    mr_publish_run(g_states, MR_QUEUE(queue).indexedStream, location, count);
    return mr_address(g_graph, location);
}

void mr_clear_own_finish_counters(const uvec4 handle, const uint first, const uint step)
{
    uint queue = handle.w >> 15;
    if (queue == kNoHandleQueue || MR_QUEUE(queue).finishCount == 0u)
        return;
    for (uint i = first; i < mr_array_length(handle); i += step)
        mr_clear_finish_counters(g_graph, queue, mr_element(handle, i));
}

// Where everything goes to one queue, invocations need nobody's help but their subgroup's.
uvec4 mr_allocate_from_chunk(const uint payload_type, const uint count, const uint node_index)
{
    bool sends = count > 0u && mr_queue(payload_type, node_index) != kNoQueue;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index);
    uint wanted = sends ? count : 0u;
    uint total = subgroupAdd(wanted);
    uint before = subgroupExclusiveAdd(wanted);
    uvec2 address = uvec2(0u);
    if (subgroupElect() && total > 0u)
        address = unpackUint2x32(mr_take_payloads(total));
    address = subgroupBroadcastFirst(address);
    return sends ? mr_handle(g_only_queue, packUint2x32(address), before, count) : mr_trash_handle(count);
}

void mr_publish_grids(const uvec4 handle, const uint first, const uint step)
{
    uint queue = handle.w >> 15;
    uint firstStream = MR_QUEUE(queue).firstDynamic;
    uint streams = MR_QUEUE(queue).dynamicCount;
    for (uint s = 0u; s < streams; ++s)
        for (uint i = first; i < mr_array_length(handle); i += step)
            mr_publish_dynamic(g_graph, firstStream + s, mr_element(handle, i));
}

bool mr_needs_grids(const uvec4 handle)
{
    uint queue = handle.w >> 15;
    return queue != kNoHandleQueue && mr_array_length(handle) > 0u && packUint2x32(handle.xy) != uint64_t(0) &&
           MR_QUEUE(queue).dynamicCount > 0u;
}

#ifdef MR_PACKED

// Invocations of a subgroup that target the same queue share a run.
uvec4 mr_allocate_runs(const uint payload_type, const uint count, const uint node_index)
{
    uint queue = mr_queue(payload_type, node_index);
    uvec4 handle = mr_trash_handle(count);
    if (count > 0u && queue == kNoQueue)
        mr_note(kErrorNoNode, node_index);
    bool waiting = count > 0u && queue != kNoQueue;
    while (waiting) {
        if (subgroupBroadcastFirst(queue) == queue) {
            uint total = subgroupAdd(count);
            uint before = subgroupExclusiveAdd(count);
            uvec2 address = uvec2(0u);
            if (subgroupElect())
                address = unpackUint2x32(mr_take_run(queue, total));
            handle = mr_handle(queue, packUint2x32(subgroupBroadcastFirst(address)), before, count);
            waiting = false;
        }
    }
    return handle;
}

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    uvec4 handle = g_only_queue != kNoQueue ? mr_allocate_from_chunk(payload_type, count, node_index)
                                            : mr_allocate_runs(payload_type, count, node_index);
    mr_clear_own_finish_counters(handle, 0u, 1u);
    return handle;
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    return mr_allocate_invocation(payload_type, count, node_index);
}

void mr_enqueue(const uvec4 handle)
{
    if (mr_needs_grids(handle))
        mr_publish_grids(handle, 0u, 1u);
}

// A packed node coalesces, and a coalescing node must not ask.
bool mr_finish_writing()
{
    return true;
}

#else

// All invocations together: a histogram over the node indices in shared memory, then one run per node index. It leaves
// the counts at 0 for the next.
uvec4 mr_allocate_together(const uint payload_type, const uint count, const uint node_index)
{
    OutputInfo info = OutputInfos(g_outputs).v[payload_type];
    Words map = Words(g_node_map);
    uint queue = node_index < info.mapCount ? map.v[info.mapFirst + node_index] : kNoQueue;
    bool sends = count > 0u && queue != kNoQueue;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index);
    if (!g_counts_clear) {
        for (uint i = gl_LocalInvocationIndex; i < kMaxHistogram; i += MR_WORKGROUP_SIZE)
            s_counts[i] = 0u;
        barrier();
        g_counts_clear = true;
    }
    uvec4 handle = mr_trash_handle(count);
    for (uint first = 0u; first < info.mapCount; first += kMaxHistogram) {
        uint own = node_index - first;
        bool here = sends && own < kMaxHistogram;
        uint before = here ? atomicAdd(s_counts[own], count) : 0u;
        barrier();
        uint end = min(info.mapCount - first, kMaxHistogram);
        for (uint i = gl_LocalInvocationIndex; i < end; i += MR_WORKGROUP_SIZE) {
            uint total = s_counts[i];
            if (total > 0u) {
                s_addresses[i] = mr_take_run(map.v[info.mapFirst + first + i], total);
                s_counts[i] = 0u;
            }
        }
        barrier();
        if (here)
            handle = mr_handle(queue, s_addresses[own], before, count);
    }
    return handle;
}

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    uvec4 handle = g_only_queue != kNoQueue ? mr_allocate_from_chunk(payload_type, count, node_index)
                                            : mr_allocate_together(payload_type, count, node_index);
    mr_clear_own_finish_counters(handle, 0u, 1u);
    return handle;
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    const uint kWorkgroupScope = 0x80000000u;
    uint queue = mr_queue(payload_type, node_index);
    if (count == 0u || queue == kNoQueue) {
        if (count > 0u && gl_LocalInvocationIndex == 0u)
            mr_note(kErrorNoNode, node_index);
        return mr_trash_handle(count | kWorkgroupScope);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        s_address = g_only_queue != kNoQueue ? mr_take_payloads(count) : mr_take_run(queue, count);
    barrier();
    uvec4 handle = mr_handle(queue, s_address, 0u, count | kWorkgroupScope);
    mr_clear_own_finish_counters(handle, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
    return handle;
}

// Indexed streams learn of the payloads when they are allocated. Grids can be read only now.
void mr_enqueue(const uvec4 handle)
{
    bool together = (handle.z & 0x80000000u) != 0u;
    if (!mr_needs_grids(handle))
        return;
    // One call with begin and step chosen before would do, but lavapipe (Mesa 25.0.7) then leaves payloads out.
    if (together) {
        // Any invocation may have written any payload, and the application has put no barrier in between.
        memoryBarrierBuffer();
        barrier();
        mr_publish_grids(handle, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
    } else {
        mr_publish_grids(handle, 0u, 1u);
    }
}

// True in the workgroup that is the last of its payload to ask. Acquires what the others wrote before they asked,
// releases what this one wrote.
bool mr_finish_writing()
{
    memoryBarrier();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        Words counter = Words(g_payload + uint64_t(MR_SLOT.finishOffset));
        s_finished = atomicAdd(counter.v[0], 1u) + 1u;
    }
    barrier();
    memoryBarrier();
    bool last = s_finished == g_group_count;
    barrier();
    return last;
}

#endif

#endif

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

// Without initializers: GLSL runs those at the start of a shader's own main(), and a library has none. mr_begin() sets
// them.

// What mr_begin() learned; the same in all invocations.
uint64_t g_graph;
uint64_t g_total;        // units of the slot
uint64_t g_chunk;        // first unit of the next chunk (when everything fits)
uint64_t g_chunk_units;
uint64_t g_unit;         // next unit of the current chunk
uint64_t g_end;          // its end
uint g_slot;
uint g_flags;
uint g_entries;          // entries of the slot's stream
uint g_reserved_groups;  // of the current chunk

// The current workgroup (packed: the invocation's own).
uint64_t g_payload;
uvec3 g_group_id;
uint g_group_count;  // workgroups of the payload
uint g_input_count;

// The entry found last; neighbouring units mostly share it.
uint g_entry;
uint64_t g_entry_first;
uint64_t g_entry_end;

shared uint64_t s_ticket;
shared uint s_ticket_groups;
#ifndef MR_PACKED
shared uint s_location;
shared uint s_counts[kMaxHistogram];
shared uint s_locations[kMaxHistogram];
shared uint64_t s_input[MR_INPUT_TABLE];
#endif

#define MR_SLOT SlotInfos(MR_HEADER(g_graph).slots).v[g_slot]

uint mr_units_per_group()
{
    return MR_KIND == kKindPacked ? MR_WORKGROUP_SIZE : MR_KIND == kKindCoalescing ? MR_INPUT_TABLE : 1u;
}

void mr_begin(const uvec4 a, const uvec4 b)
{
    g_graph = packUint2x32(a.xy);
    g_slot = a.z;
    g_flags = a.w;
    g_total = uint64_t(0);
    g_chunk = uint64_t(0);
    g_chunk_units = uint64_t(1);
    g_unit = uint64_t(0);
    g_end = uint64_t(0);
    g_entries = 0u;
    g_reserved_groups = 0u;
    g_payload = uint64_t(0);
    g_group_id = uvec3(0u);
    g_group_count = 1u;
    g_input_count = 0u;
    g_entry = 0u;
    g_entry_first = uint64_t(0);
    g_entry_end = uint64_t(0);
    if (MR_HEADER(g_graph).magic != kGraphMagic)
        return;
    uint stream = MR_SLOT.stream;
    StreamStates states = StreamStates(MR_HEADER(g_graph).streamStates);
    uint64_t counter = states.v[stream].counter;
    uint capacity = states.v[stream].capacity;
    g_entries = uint(counter >> kUnitBits);
    g_total = counter & kUnitMask;
    if (g_entries > capacity) {
        // Entries were dropped and reported; the last one that is there has no known end.
        g_entries = capacity;
        g_total = uint64_t(0);
        if (capacity > 0u)
            g_total = MR_KIND == kKindDynamic
                          ? uint64_t(DynamicEntries(states.v[stream].table).v[capacity - 1u].first)
                          : uint64_t(IndexedEntries(states.v[stream].table).v[capacity - 1u].first);
    }
    if (MR_KIND == kKindStatic)
        g_total *= uint64_t(MR_SLOT.unitsPerPayload);

    uint unitsPerGroup = mr_units_per_group();
    if (MR_INDIRECT) {
        // One workgroup each, from where the plan shader began.
        IndirectTable table = IndirectTable(packUint2x32(b.zw));
        uint64_t linear = uint64_t(gl_WorkGroupID.x) +
                          uint64_t(gl_NumWorkGroups.x) *
                              (uint64_t(gl_WorkGroupID.y) + uint64_t(gl_NumWorkGroups.y) * uint64_t(gl_WorkGroupID.z));
        if (linear < uint64_t(table.v[0].groupCount)) {
            g_unit = table.v[0].firstUnit + linear * uint64_t(unitsPerGroup);
            g_end = min(g_unit + uint64_t(unitsPerGroup), g_total);
        }
        return;
    }
    // Several workgroups in a row save searches; enough chunks to fill the grid four times keep it balanced.
    uint64_t groups = (g_total + uint64_t(unitsPerGroup - 1u)) / uint64_t(unitsPerGroup);
    uint64_t perChunk = clamp(groups / uint64_t(gl_NumWorkGroups.x * 4u), uint64_t(1), uint64_t(16));
    g_chunk_units = perChunk * uint64_t(unitsPerGroup);
    g_chunk = uint64_t(gl_WorkGroupID.x) * g_chunk_units;
}

// Reserves memory for the next chunk and takes its units from the slot's cursor. Nobody waits: where memory is
// short, this workgroup of ours stops and the units stay for a later sweep.
void mr_take_ticket()
{
    uint granules = MR_SLOT.granulesPerGroup;
    uint entries = MR_SLOT.entriesPerGroup;
    uint level = MR_SLOT.level;
    uint unitsPerGroup = mr_units_per_group();
    uint64_t reserved = uint64_t(granules) * uint64_t(g_reserved_groups);
    if (reserved > uint64_t(s_granules))
        mr_return_reservation(g_graph, level, reserved - uint64_t(s_granules), uint64_t(0));
    s_granules = 0u;
    s_ticket_groups = 0u;

    SlotStates states = SlotStates(MR_HEADER(g_graph).slotStates);
    if (states.v[g_slot].cursor >= g_total)
        return;
    uint groups = mr_reserve(g_graph, level, granules, entries, uint(g_chunk_units) / unitsPerGroup);
    if (groups == 0u)
        return;
    uint64_t units = uint64_t(groups) * uint64_t(unitsPerGroup);
    uint64_t first = atomicAdd(states.v[g_slot].cursor, units);
    if (first >= g_total) {
        mr_return_reservation(g_graph, level, uint64_t(granules) * uint64_t(groups),
                              uint64_t(entries) * uint64_t(groups));
        return;
    }
    s_ticket = first;
    s_ticket_groups = groups;
}

bool mr_take_chunk()
{
    if ((g_flags & kFlagFits) != 0u) {
        if (g_chunk >= g_total)
            return false;
        g_unit = g_chunk;
        g_end = min(g_unit + g_chunk_units, g_total);
        g_chunk += g_chunk_units * uint64_t(gl_NumWorkGroups.x);
        return true;
    }
    // Also where the memory is not initialized, and the slot's tables are nowhere.
    if (g_total == uint64_t(0))
        return false;
    if (gl_LocalInvocationIndex == 0u)
        mr_take_ticket();
    barrier();
    g_unit = s_ticket;
    g_reserved_groups = s_ticket_groups;
    g_end = min(g_unit + uint64_t(g_reserved_groups) * uint64_t(mr_units_per_group()), g_total);
    return g_reserved_groups > 0u;
}

uint64_t mr_dynamic_first(const DynamicEntry entry)
{
    return uint64_t(entry.first) | uint64_t(entry.gridZAndMore >> 20) << 32;
}

// Finds the entry that holds `unit` of an indexed stream: the last one whose first is not above it.
void mr_find_indexed(const uint64_t unit)
{
    if (unit >= g_entry_first && unit < g_entry_end)
        return;
    StreamStates states = StreamStates(MR_HEADER(g_graph).streamStates);
    IndexedEntries entries = IndexedEntries(states.v[MR_SLOT.stream].table);
    uint low = 0u;
    uint high = g_entries;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (uint64_t(entries.v[middle].first) <= unit)
            low = middle;
        else
            high = middle;
    }
    g_entry = low;
    g_entry_first = uint64_t(entries.v[low].first);
    g_entry_end = low + 1u < g_entries ? uint64_t(entries.v[low + 1u].first) : (uint64_t(1) << 32);
}

uint64_t mr_indexed_payload(const uint64_t unit)
{
    mr_find_indexed(unit);
    StreamStates states = StreamStates(MR_HEADER(g_graph).streamStates);
    IndexedEntries entries = IndexedEntries(states.v[MR_SLOT.stream].table);
    return mr_address(g_graph, entries.v[g_entry].location) + (unit - g_entry_first) * uint64_t(MR_SLOT.payloadStride);
}

void mr_locate_dynamic(const uint64_t unit)
{
    StreamStates states = StreamStates(MR_HEADER(g_graph).streamStates);
    DynamicEntries entries = DynamicEntries(states.v[MR_SLOT.stream].table);
    if (unit < g_entry_first || unit >= g_entry_end) {
        uint low = 0u;
        uint high = g_entries;
        while (high - low > 1u) {
            uint middle = (low + high) / 2u;
            if (mr_dynamic_first(entries.v[middle]) <= unit)
                low = middle;
            else
                high = middle;
        }
        g_entry = low;
    }
    DynamicEntry entry = entries.v[g_entry];
    uvec3 grid = uvec3(entry.gridXY & 0xffffu, entry.gridXY >> 16, entry.gridZAndMore & 0xffffu);
    g_group_count = grid.x * grid.y * grid.z;
    g_entry_first = mr_dynamic_first(entry);
    g_entry_end = g_entry_first + uint64_t(g_group_count);
    uint group = uint(unit - g_entry_first);
    g_group_id = uvec3(group % grid.x, group / grid.x % grid.y, group / (grid.x * grid.y));
    g_payload = mr_address(g_graph, entry.location) + uint64_t(entry.gridZAndMore >> 16 & (kGranuleBytes - 1u));
    g_input_count = 1u;
}

void mr_locate_static(const uint64_t unit)
{
    uint perPayload = MR_SLOT.unitsPerPayload;
    uint64_t payload = unit / uint64_t(perPayload);
    uint group = uint(unit - payload * uint64_t(perPayload));
    uvec2 grid = uvec2(MR_SLOT.gridX, MR_SLOT.gridY);
    g_payload = mr_indexed_payload(payload);
    g_group_id = uvec3(group % grid.x, group / grid.x % grid.y, group / (grid.x * grid.y));
    g_group_count = perPayload;
    g_input_count = 1u;
}

#ifndef MR_PACKED
void mr_locate_coalescing(const uint64_t unit)
{
    g_input_count = uint(min(uint64_t(MR_INPUT_TABLE), g_end - unit));
    for (uint i = gl_LocalInvocationIndex; i < g_input_count; i += MR_WORKGROUP_SIZE)
        s_input[i] = mr_indexed_payload(unit + uint64_t(i));
    barrier();
}
#endif

bool mr_next()
{
    // The workgroup before has left shared memory.
    barrier();
    if (g_unit >= g_end) {
        if (MR_INDIRECT || !mr_take_chunk())
            return false;
    }
#ifdef MR_PACKED
    uint64_t own = g_unit + uint64_t(gl_LocalInvocationIndex);
    g_input_count = own < g_end ? 1u : 0u;
    if (g_input_count > 0u)
        g_payload = mr_indexed_payload(own);
#else
    if (MR_KIND == kKindDynamic)
        mr_locate_dynamic(g_unit);
    else if (MR_KIND == kKindCoalescing)
        mr_locate_coalescing(g_unit);
    else
        mr_locate_static(g_unit);
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
    OutputInfos outputs = OutputInfos(MR_HEADER(g_graph).outputs);
    uint type = MR_SLOT.firstOutput + payload_type;
    if (node_index >= outputs.v[type].mapCount)
        return kNoQueue;
    return Words(MR_HEADER(g_graph).nodeMap).v[outputs.v[type].mapFirst + node_index];
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

uvec4 mr_handle(const uint queue, const uint location, const uint index, const uint count)
{
    if (location == kNoLocation)
        return mr_trash_handle(count);
    uint stride = QueueInfos(MR_HEADER(g_graph).queues).v[queue].stride;
    uint64_t address = mr_address(g_graph, location) + uint64_t(index) * uint64_t(stride);
    return uvec4(unpackUint2x32(address), count, stride / 4u | queue << 15);
}

void mr_clear_own_finish_counters(const uint queue, const uvec4 handle, const uint first, const uint step)
{
    if (handle.w >> 15 == kNoHandleQueue || QueueInfos(MR_HEADER(g_graph).queues).v[queue].finishCount == 0u)
        return;
    for (uint i = first; i < mr_array_length(handle); i += step)
        mr_clear_finish_counters(g_graph, queue, mr_element(handle, i));
}

// Without help from the workgroup: invocations of a subgroup that target the same queue share a run.
uvec4 mr_allocate_alone(const uint payload_type, const uint count, const uint node_index)
{
    uint queue = mr_queue(payload_type, node_index);
    uint node = MR_SLOT.name;
    uvec4 handle = mr_trash_handle(count);
    if (queue == kNoQueue) {
        if (count > 0u)
            mr_report(g_graph, kErrorNoNode, node, node_index);
        return handle;
    }
    bool waiting = count > 0u;
    while (waiting) {
        if (subgroupBroadcastFirst(queue) == queue) {
            uint total = subgroupAdd(count);
            uint before = subgroupExclusiveAdd(count);
            uint location = 0u;
            if (subgroupElect())
                location = mr_allocate_run(g_graph, MR_SLOT.level, queue, total, node);
            location = subgroupBroadcastFirst(location);
            handle = mr_handle(queue, location, before, count);
            waiting = false;
        }
    }
    mr_clear_own_finish_counters(queue, handle, 0u, 1u);
    return handle;
}

void mr_publish_grids(const uvec4 handle, const uint first, const uint step)
{
    uint queue = handle.w >> 15;
    uint node = MR_SLOT.name;
    uint firstStream = QueueInfos(MR_HEADER(g_graph).queues).v[queue].firstStream;
    uint streams = QueueInfos(MR_HEADER(g_graph).queues).v[queue].streamCount;
    for (uint s = mr_first_dynamic(g_graph, queue); s < streams; ++s)
        for (uint i = first; i < mr_array_length(handle); i += step)
            mr_publish_dynamic(g_graph, firstStream + s, mr_element(handle, i), node);
}

bool mr_needs_grids(const uvec4 handle)
{
    uint queue = handle.w >> 15;
    return queue != kNoHandleQueue && mr_array_length(handle) > 0u && packUint2x32(handle.xy) != uint64_t(0) &&
           QueueInfos(MR_HEADER(g_graph).queues).v[queue].streamCount > mr_first_dynamic(g_graph, queue);
}

#ifdef MR_PACKED

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    return mr_allocate_alone(payload_type, count, node_index);
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    return mr_allocate_alone(payload_type, count, node_index);
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

// All invocations together: a histogram over the node indices in shared memory, then one run per node index.
uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    OutputInfo info = OutputInfos(MR_HEADER(g_graph).outputs).v[MR_SLOT.firstOutput + payload_type];
    if (info.mapCount > kMaxHistogram)
        return mr_allocate_alone(payload_type, count, node_index);

    Words map = Words(MR_HEADER(g_graph).nodeMap);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < info.mapCount; i += MR_WORKGROUP_SIZE)
        s_counts[i] = 0u;
    barrier();
    uint queue = mr_queue(payload_type, node_index);
    bool sends = count > 0u && queue != kNoQueue;
    uint before = 0u;
    if (sends)
        before = atomicAdd(s_counts[node_index], count);
    else if (count > 0u)
        mr_report(g_graph, kErrorNoNode, MR_SLOT.name, node_index);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < info.mapCount; i += MR_WORKGROUP_SIZE)
        if (s_counts[i] > 0u)
            s_locations[i] =
                mr_allocate_run(g_graph, MR_SLOT.level, map.v[info.mapFirst + i], s_counts[i], MR_SLOT.name);
    barrier();
    if (!sends)
        return mr_trash_handle(count);
    uvec4 handle = mr_handle(queue, s_locations[node_index], before, count);
    mr_clear_own_finish_counters(queue, handle, 0u, 1u);
    return handle;
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    const uint kWorkgroupScope = 0x80000000u;
    uint queue = mr_queue(payload_type, node_index);
    if (count == 0u || queue == kNoQueue) {
        if (count > 0u && gl_LocalInvocationIndex == 0u)
            mr_report(g_graph, kErrorNoNode, MR_SLOT.name, node_index);
        return mr_trash_handle(count | kWorkgroupScope);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        s_location = mr_allocate_run(g_graph, MR_SLOT.level, queue, count, MR_SLOT.name);
    barrier();
    uvec4 handle = mr_handle(queue, s_location, 0u, count | kWorkgroupScope);
    mr_clear_own_finish_counters(queue, handle, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
    return handle;
}

// Indexed streams have known of the payloads since their allocation. Grids can be read only now.
void mr_enqueue(const uvec4 handle)
{
    bool together = (handle.z & 0x80000000u) != 0u;
    if (!mr_needs_grids(handle))
        return;
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
        s_location = atomicAdd(counter.v[0], 1u) + 1u;
    }
    barrier();
    memoryBarrier();
    bool last = s_location == g_group_count;
    barrier();
    return last;
}

#endif

#endif

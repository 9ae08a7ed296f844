// SPDX-License-Identifier: Apache-2.0
// Finds the payloads of a unit in the slot's stream.
#ifndef MILLRACE_DEVICE_LOCATE_GLSL
#define MILLRACE_DEVICE_LOCATE_GLSL

#include "device/state.glsl"

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
        bool notAbove = at < high && mr_entry_first(g_table, at) <= unit;
        low += subgroupBallotBitCount(subgroupBallot(notAbove)) * step;
        high = min(low + step, high);
    }
    g_entry = low;
    if (MR_KIND == kKindDynamic) {
        g_entry_first = mr_entry_first(g_table, low);
    } else {
        IndexedEntry entry = IndexedEntries(g_table).v[low];
        g_entry_first = uint64_t(entry.first);
        g_entry_location = entry.location;
    }
    g_entry_end = low + 1u < g_entries ? mr_entry_first(g_table, low + 1u) : ~uint64_t(0);
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

#endif

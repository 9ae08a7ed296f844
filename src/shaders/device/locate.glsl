// SPDX-License-Identifier: Apache-2.0
// Finds the payloads of a unit in the slot's stream.
#ifndef MILLRACE_DEVICE_LOCATE_GLSL
#define MILLRACE_DEVICE_LOCATE_GLSL

#include "device/state.glsl"

// Finds the entry that holds `unit`, the same for all invocations of a subgroup and not before the last one: the last
// entry whose first unit is not above it. All lanes look at once, each at another entry.
void mr_seek(const Unit unit)
{
    if (unit < g_entry_end)
        return;
    uint low = g_single ? uint(unit) : g_entry;
    // Every entry holds a unit at least.
    uint high = low + 1u + (g_single ? 0u : uint(min(Unit(g_entries - low - 1u), unit - g_entry_first)));
    while (high - low > 1u) {
        SubgroupSum together = mr_subgroup_count(true);
        // Parts are a power of two, so that nobody divides.
        uint shift = uint(findMSB(together.total + 1u));
        uint step = (high - low + (1u << shift) - 1u) >> shift;
        uint at = low + (together.before + 1u) * step;
        bool notAbove = at < high && mr_entry_first(g_table, at) <= unit;
        low += mr_subgroup_count(notAbove).total * step;
        high = min(low + step, high);
    }
    g_entry = low;
    if (MR_KIND == kKindDynamic) {
        g_entry_first = mr_entry_first(g_table, low);
    } else {
        IndexedEntry entry = mr_indexed_entry(g_table, low);
        g_entry_first = Unit(entry.first);
        g_entry_location = entry.location;
    }
    g_entry_end = low + 1u < g_entries ? mr_entry_first(g_table, low + 1u) : ~Unit(0u);
}

// The entry that holds `unit`, which is the one of the last mr_seek() or behind it. Each invocation for itself.
uint mr_find_entry(const Unit unit)
{
    if (unit < g_entry_end)
        return g_entry;
    uint low = g_single ? uint(unit) : g_entry + 1u;
    uint high = low + 1u + (g_single ? 0u : uint(min(Unit(g_entries - low - 1u), unit - g_entry_end)));
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (mr_entry_first(g_table, middle) <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// A payload of an indexed stream, in the entry of the last mr_seek() or behind it.
uint64_t mr_indexed_payload(const Unit payload)
{
    Unit first = g_entry_first;
    uint location = g_entry_location;
    if (payload >= g_entry_end) {
        IndexedEntry entry = mr_indexed_entry(g_table, mr_find_entry(payload));
        first = Unit(entry.first);
        location = entry.location;
    }
    return mr_address(g_graph, location) + uint64_t(payload - first) * uint64_t(mr_input_stride());
}

// The invocation's own unit where workgroups are side by side; of those behind the end, the last.
Unit mr_own_unit(const Unit unit)
{
    if (!mr_is_beside())
        return unit;
    Unit own = unit + Unit(gl_LocalInvocationIndex / MR_NODE_SIZE);
    g_input_count = own < g_end ? 1u : 0u;
    return min(own, g_end - Unit(1u));
}

// Of a payload, workgroup `group` is what comes next, and those behind it follow as far as the chunk goes: mr_step() comes
// to them without search and divisions.
void mr_begin_run(const uint group)
{
    g_run = mr_steps() ? min(g_group_count - group, uint(g_end - g_unit)) - 1u : 0u;
}

void mr_use_dynamic_entry(const DynamicEntry entry)
{
    uvec3 grid = uvec3(entry.gridXY & 0xffffu, entry.gridXY >> 16, entry.gridZAndMore & 0xffffu);
    g_grid = grid.xy;
    g_group_count = grid.x * grid.y * grid.z;
    g_payload = mr_address(g_graph, entry.location) + uint64_t(entry.gridZAndMore >> 16 & (kGranuleBytes - 1u));
}

void mr_locate_dynamic(const Unit first)
{
    // Behind the last workgroup of a payload in a chunk: no entry is empty, so the next one begins here.
    bool begins = !mr_is_beside() && g_group_count > 0u;
    if (begins) {
        ++g_entry;
        g_entry_first = mr_in_stream(first);
    } else {
        mr_seek(mr_in_stream(first));
    }
    Unit unit = mr_in_stream(mr_own_unit(first));
    uint number = mr_is_beside() ? mr_find_entry(unit) : g_entry;
    DynamicEntry entry = DynamicEntries(g_table).v[number];
    uint group = uint(unit - (mr_is_beside() ? Unit(mr_dynamic_first(entry)) : g_entry_first));
    mr_use_dynamic_entry(entry);
    g_group_id = uvec3(0u);
    if (begins)
        g_entry_end = g_entry_first + Unit(g_group_count);
    else
        g_group_id = mr_group_id(group, g_grid);
    mr_begin_run(group);
}

// The grid is a constant, and so are its divisions.
void mr_locate_static(const Unit first)
{
    mr_seek(mr_in_stream(Unit(mr_divide(first, mr_units_per_payload()))));
    Unit unit = mr_own_unit(first);
    uint payload = mr_divide(unit, mr_units_per_payload());
    g_payload = mr_indexed_payload(mr_in_stream(Unit(payload)));
    uint group = uint(unit) - payload * mr_units_per_payload();
    g_group_id = mr_group_id(group, uvec2(MR_GRID_X, MR_GRID_Y));
    g_group_count = mr_units_per_payload();
    mr_begin_run(group);
}

// Workgroups of the current payload.
uint mr_payload_groups()
{
    return MR_KIND == kKindStatic ? mr_units_per_payload() : g_group_count;
}

#if defined(MR_PACKED)
// Where payload i of neighbours lies side by side (mr_places()), neighbours of ours take MR_INPUT_BESIDE payloads of one of
// theirs, then those of the next: code mostly writes what comes of one sender's payloads into one place.
const uint kSendersBeside = MR_SUBGROUP_SIZE;
const uint kUnitsBeside = kSendersBeside * MR_INPUT_BESIDE;

bool mr_are_beside()
{
#if defined(MR_FITS)
    return MR_INPUT_BESIDE > 1u;
#else
    return false;  // units that are there in a later sweep would change which those before them are
#endif
}

// Another unit for each: that is right wherever payloads lie.
Unit mr_unit_beside(const Unit unit)
{
    uint place = uint(unit % Unit(kUnitsBeside));
    Unit first = unit - Unit(place);
    if (g_total - first < Unit(kUnitsBeside))
        return unit;
    return first + Unit(place % MR_INPUT_BESIDE * kSendersBeside + place / MR_INPUT_BESIDE);
}

// Several invocations to a payload.
void mr_locate_part(const Unit unit)
{
    mr_seek(mr_in_stream(Unit(mr_divide(unit, MR_PARTS))));
    Unit own = unit + Unit(gl_LocalInvocationIndex);
    g_input_count = own < g_end ? 1u : 0u;
    if (g_input_count == 0u)
        return;
    uint payload = mr_divide(own, MR_PARTS);
    g_payload = mr_indexed_payload(mr_in_stream(Unit(payload)));
    g_group_id.x = uint(own) - payload * MR_PARTS;
}

void mr_locate_packed(const Unit unit)
{
    if (MR_PARTS > 1u) {
        mr_locate_part(unit);
        return;
    }
    mr_seek(mr_in_stream(mr_are_beside() ? unit - unit % Unit(kUnitsBeside) : unit));
    Unit own = unit + Unit(gl_LocalInvocationIndex);
    g_input_count = own < g_end ? 1u : 0u;
    if (g_input_count > 0u)
        g_payload = mr_indexed_payload(mr_in_stream(mr_are_beside() ? mr_unit_beside(own) : own));
}
#else
void mr_locate_coalescing(const Unit unit)
{
    mr_seek(mr_in_stream(unit));
    g_input_count = uint(min(Unit(MR_INPUT_TABLE), g_end - unit));
    for (uint i = gl_LocalInvocationIndex; i < g_input_count; i += MR_WORKGROUP_SIZE)
        s_input[i] = mr_indexed_payload(mr_in_stream(unit + Unit(i)));
    barrier();
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
// Without MR_FITS: a workgroup of ours reserves memory for the worst case of a chunk before it takes it.
#ifndef MILLRACE_DEVICE_RESERVING_GLSL
#define MILLRACE_DEVICE_RESERVING_GLSL

#include "device/state.glsl"

#if !defined(MR_FITS)

uint g_chunk_groups;     // workgroups of ours that it asks for at a time
uint g_reserved_groups;  // for which memory was reserved
bool g_planned;          // indirect path: a workgroup is left that the plan shader reserved and took for

shared uint64_t s_ticket;
shared uint s_ticket_groups;
shared uint64_t s_ticket_end;  // without 64-bit atomics: of what this sweep takes

// Whether those before this workgroup of ours are as many as the slot can have work for.
bool mr_is_superfluous()
{
    return Unit(gl_WorkGroupID.x) * Unit(mr_units_per_group()) >= g_total;
}

#if defined(MR_DEPTH_FIRST)
// Payloads that the device runs at once.
const uint kFullPayloads = 4u * MR_BUSY_PAYLOADS;

// Where there are fewer than the dispatch has invocations, some are left for each.
uint mr_invocations_for_each()
{
    if (!MR_SHARES || MR_INDIRECT || g_total == uint64_t(0) || g_total >= uint64_t(kFullPayloads))
        return 1u;
    uint each = mr_group_count() * MR_WORKGROUP_SIZE / uint(g_total);
    // A subgroup may be larger than the workgroup.
    return 1u << findMSB(clamp(each, 1u, min(MR_SUBGROUP_SIZE, MR_WORKGROUP_SIZE)));
}
#endif

void mr_begin_chunks(const uint64_t slot, const uint64_t streamState)
{
    mr_use_slot(slot, streamState);
#if defined(MR_DEPTH_FIRST)
    g_apart = mr_invocations_for_each();
#endif
    // Or others run it.
    if (!MR_INDIRECT && (mr_is_superfluous() || MR_SLOT.most > 0u))
        g_total = uint64_t(0);
    g_reserved_groups = 0u;
    g_planned = MR_INDIRECT;
    if (MR_INDIRECT)
        return;
    float groups = float(g_total) / float(mr_units_per_group());
    g_chunk_groups = uint(clamp(groups / float(mr_group_count() * 4u), 1.0, float(MR_CHUNK_GROUPS)));
    if (!MR_LONG_ATOMICS)
        g_chunk_groups = clamp(kMaxTicketStep / mr_units_per_group(), 1u, g_chunk_groups);
}

// Takes units of the slot. Returns the first.
uint64_t mr_take_units(const uint slot, const uint64_t units)
{
    SlotStates states = SlotStates(MR_HEADER(g_graph).slotStates);
    if (MR_LONG_ATOMICS)
        return atomicAdd(states.v[slot].cursor, units);
    return states.v[slot].counted + uint64_t(atomicAdd(states.v[slot].ticket, uint(units)));
}

// What was reserved for the chunk before, less what that used, serves the next one if so much is added: mostly little,
// often nothing. Returns false, with nothing reserved, if that does not fit or nothing is left to do.
bool mr_keep_reservation(const bool more)
{
    // What was reserved for any one stream is enough if it is for all together; mostly there are far fewer.
    uint64_t granules = uint64_t(MR_SLOT.granulesPerGroup) * uint64_t(g_reserved_groups);
    uint64_t entries = uint64_t(MR_SLOT.entriesPerGroup) * uint64_t(g_reserved_groups);
    uint64_t used = min(granules, uint64_t(s_used));
    uint64_t usedEntries = min(entries, uint64_t(s_appended));
    if (g_reserved_groups == 0u)
        return false;
    if (more && mr_reserve_exactly(g_graph, g_level, used, usedEntries))
        return true;
    mr_return_reservation(g_graph, g_level, granules - used, entries - usedEntries);
    return false;
}

// Reserves memory for the next chunk and takes its units from the slot's cursor. Nobody waits: where memory is
// short, this workgroup of ours stops and the units stay for a later sweep.
void mr_take_ticket()
{
    uint granules = MR_SLOT.granulesPerGroup;
    uint entries = MR_SLOT.entriesPerGroup;
    uint slot = uint(g_slot - MR_HEADER(g_graph).slots) / kSlotInfoBytes;
    SlotStates states = SlotStates(MR_HEADER(g_graph).slotStates);
    uint64_t taken = states.v[slot].cursor;
    uint64_t end = g_total;
    if (!MR_LONG_ATOMICS) {
        taken += uint64_t(states.v[slot].ticket);
        end = min(g_total, states.v[slot].counted + uint64_t(kMaxTicket));
        s_ticket_end = end;
    }
    bool more = taken < end;
    uint groups = mr_keep_reservation(more) ? g_reserved_groups : 0u;
    s_used = 0u;
    s_appended = 0u;
    s_ticket_groups = 0u;
    if (more && groups == 0u)
        groups = mr_reserve(g_graph, g_level, granules, entries, g_chunk_groups);
    if (groups == 0u)
        return;
    uint64_t units = uint64_t(groups) * uint64_t(mr_units_per_group());
    uint64_t first = mr_take_units(slot, units);
    if (first >= end) {
        mr_return_reservation(g_graph, g_level, uint64_t(granules) * uint64_t(groups),
                              uint64_t(entries) * uint64_t(groups));
        return;
    }
    s_ticket = first;
    s_ticket_groups = groups;
}

// On the indirect path the plan shader has reserved and taken: one workgroup each, from where it began.
bool mr_take_planned()
{
    IndirectTable table = IndirectTable(g_work);
    uint linear = mr_linear_group(table.v[0]);
    if (!g_planned || linear >= table.v[0].groupCount)
        return false;
    g_planned = false;
    g_unit = table.v[0].firstUnit + uint64_t(linear) * uint64_t(mr_units_per_group());
    g_end = min(g_unit + uint64_t(mr_units_per_group()), g_total);
    return g_unit < g_end;
}

bool mr_take_chunk()
{
    // Also where the memory is not initialized, and the tables are nowhere.
    if (g_total == uint64_t(0))
        return false;
    if (!MR_INDIRECT && gl_LocalInvocationIndex == 0u)
        mr_take_ticket();
    barrier();
    if (MR_INDIRECT)
        return mr_take_planned();
    g_unit = s_ticket;
    g_reserved_groups = s_ticket_groups;
    g_end = min(g_unit + uint64_t(g_reserved_groups) * uint64_t(mr_units_per_group()),
                MR_LONG_ATOMICS ? g_total : s_ticket_end);
    return g_reserved_groups > 0u;
}

// All runs have been published.
void mr_publish_chunk()
{
}

// Memory for a run of `count` > 0 payloads.
uint mr_take_memory(const uint stride, const uint count)
{
    return mr_take_granules(g_graph, g_level, mr_granules(stride, count), count);
}

uint mr_take_memory_alone(const uint stride, const uint count)
{
    return mr_take_granules_alone(g_graph, g_level, mr_granules(stride, count), count);
}

#endif

#endif

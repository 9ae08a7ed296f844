// SPDX-License-Identifier: Apache-2.0
// How a workgroup of ours gets chunks of a slot's work and the memory for what they emit.
#ifndef MILLRACE_DEVICE_CHUNKS_GLSL
#define MILLRACE_DEVICE_CHUNKS_GLSL

#include "device/batch.glsl"

const uint kMaxChunkGroups = 16u;

// Where everything fits: what this workgroup of ours does next, in workgroups of ours of the whole batch.
uint64_t g_chunk;     // next chunk
uint g_chunk_groups;  // in a chunk
uint64_t g_next;      // next workgroup of the current chunk
uint g_left;          // so many are left in it

shared uint64_t s_ticket;
shared uint s_ticket_groups;

void mr_begin_chunks()
{
    g_next = uint64_t(0);
    g_left = 0u;
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
    float groups = mr_is_batch() ? float(mr_batch_groups()) : float(g_total) / float(mr_units_per_group());
    g_chunk_groups = uint(clamp(groups / float(gl_NumWorkGroups.x * 4u), 1.0, float(kMaxChunkGroups)));
    g_chunk = uint64_t(gl_WorkGroupID.x) * uint64_t(g_chunk_groups);
}

// Memory for `units` units, which begin with workgroup `first` of ours, where everything fits: theirs by their number, so
// that nobody has to ask.
void mr_locate_memory(const uint first, const uint units)
{
    const uint kEnough = 0x7fffffffu;
    uint granules = MR_SLOT.granulesPerGroup;
    g_location = g_base + first * granules;
    uint perGroup = mr_units_per_group();
    uint64_t limit = MR_KIND == kKindPacked ? uint64_t(granules / MR_WORKGROUP_SIZE) * uint64_t(units)
                                            : uint64_t(granules) * uint64_t((units + perGroup - 1u) / perGroup);
    if (g_only_queue != kNoQueue) {
        limit *= uint64_t(kGranuleBytes);
        limit = g_only_stride > 0u ? uint64_t(mr_divide(limit, g_only_stride)) : uint64_t(kEnough);
    }
    g_limit = uint(min(limit, uint64_t(kEnough)));
}

// The next chunk where everything fits, or the part of it that belongs to one slot. Chunk by chunk, workgroups stride
// over all that there is.
bool mr_take_fitting()
{
    if (gl_LocalInvocationIndex == 0u) {
        s_used = 0u;
        s_failed = ~0u;
    }
    if (g_left == 0u) {
        g_next = g_chunk;
        g_left = g_chunk_groups;
        if (g_chunk == ~uint64_t(0))
            return false;
        g_chunk = MR_INDIRECT ? ~uint64_t(0) : g_chunk + uint64_t(g_chunk_groups * gl_NumWorkGroups.x);
    }
    uint64_t first = g_next;
    uint groups = g_left;
    if (mr_is_batch()) {
        if (!mr_turn_to_slot(g_next))
            return false;
        first -= uint64_t(mr_groups_before());
        groups = min(groups, mr_groups_behind(g_next));
    }
    uint perGroup = mr_units_per_group();
    g_unit = first * uint64_t(perGroup);
    if (g_unit >= g_total)
        return false;
    g_end = g_unit + min(g_total - g_unit, uint64_t(groups * perGroup));
    g_next += uint64_t(groups);
    g_left -= groups;
    mr_locate_memory(uint(first), uint(g_end - g_unit));
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
    // What was reserved for any one stream is enough if it is for all together; mostly there are far fewer.
    uint64_t reserved = uint64_t(granules) * uint64_t(g_reserved_groups);
    uint64_t reservedEntries = uint64_t(entries) * uint64_t(g_reserved_groups);
    if (g_reserved_groups > 0u)
        mr_return_reservation(g_graph, level, reserved - min(reserved, uint64_t(s_used)),
                              reservedEntries - min(reservedEntries, uint64_t(s_appended)));
    s_used = 0u;
    s_appended = 0u;
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
    if (g_total == uint64_t(0) && !mr_is_batch())
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

// Where everything fits: what the chunk sent to a single queue lies one after the other and becomes one run.
void mr_publish_chunk()
{
    uint stream = MR_SLOT.onlyStream;
    if (gl_LocalInvocationIndex == 0u && g_only_queue != kNoQueue && stream != kNoStream && s_used > 0u && s_failed > 0u)
        mr_append_run(mr_stream_state(g_states, stream), g_only_table, g_only_capacity, g_location,
                      min(s_used, s_failed));
}

#endif

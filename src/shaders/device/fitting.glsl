// SPDX-License-Identifier: Apache-2.0
// MR_FITS: workgroups of ours stride over what there is to do, and each chunk has its memory by its number. The same code
// runs slots that send nothing, and levels of which fit.comp has found out that they fit.
#ifndef MILLRACE_DEVICE_FITTING_GLSL
#define MILLRACE_DEVICE_FITTING_GLSL

#include "device/batch.glsl"

#if defined(MR_FITS)

const Unit kNoChunk = ~Unit(0u);

Unit g_first_unit;   // the first that sweeps before have not taken (SlotInfo::startUnit)
Unit g_slot_groups;  // workgroups of ours that it takes

// What this workgroup of ours does next, in workgroups of ours of the whole batch.
Unit g_chunk;         // next chunk
uint g_chunk_groups;  // in a chunk
// Batches alone: the next workgroup of the current chunk, which may belong to several slots, and how many are left in it.
uint g_next;
uint g_left;

shared uint s_chunk_location;  // granule where the current chunk's memory begins,
shared uint s_chunk_limit;     // how much there is, in what s_used counts,
shared uint s_chunk_shares;    // of what its areas have (AreaInfo)

shared uint s_failed;  // what s_used was when it first went beyond s_chunk_limit
shared uint s_area_used[kMaxAreas];  // likewise of areas, in payloads
shared uint s_area_failed[kMaxAreas];

// Behind a turn to another slot.
void mr_count_slot_groups()
{
    uint perGroup = mr_units_per_group();
    // Payloads of one unit are counted by SlotInfo::start alone.
    g_first_unit = mr_units_per_payload() > 1u ? Unit(MR_SLOT.startUnit) : Unit(0u);
    Unit units = g_total - min(g_total, g_first_unit);
    g_slot_groups = perGroup == 1u ? units : Unit(mr_divide(units + Unit(perGroup - 1u), perGroup));
}

void mr_begin_chunks(const uint64_t slot, const uint64_t streamState)
{
    mr_use_fitting_slot(slot, streamState);
    mr_count_slot_groups();
    if (mr_is_batch())
        mr_begin_batch();
    g_left = 0u;
    if (MR_INDIRECT) {
        IndirectTable table = IndirectTable(g_work);
        uint linear = mr_linear_group(table.v[0]);
        g_chunk = linear < table.v[0].groupCount ? Unit(linear) : kNoChunk;
        g_chunk_groups = 1u;
        return;
    }
    // Several workgroups in a row save searches, and make longer runs (H200: W7 546 to 495 us, S1 381 to 318).
    float groups = mr_is_batch() ? float(mr_batch_groups()) : float(g_slot_groups);
    g_chunk_groups = uint(clamp(groups / float(mr_group_count() * MR_CHUNKS_PER_GROUP), 1.0, float(MR_CHUNK_GROUPS)));
    g_chunk = Unit(gl_WorkGroupID.x) * Unit(g_chunk_groups);
}

// The current payload's number among those of which this sweep has workgroups, or one that no other has and that is below
// the number of their workgroups.
uint mr_number_of_payload()
{
    if (MR_KIND != kKindDynamic)
        return mr_divide(g_unit, mr_units_per_payload()) - mr_divide(g_first_unit, mr_units_per_payload());
    return g_start == Unit(0u) ? g_entry : uint(g_entry_first - min(g_entry_first, g_start));
}

// Where MR_SENDS_ONCE, memory is the payload's, by its number, and each workgroup has all of it. Nobody looks before a barrier.
void mr_locate_memory_of_payload()
{
    if (gl_LocalInvocationIndex != 0u)
        return;
    uint payload = mr_number_of_payload();
    s_chunk_limit = MR_SLOT.fitGranulesPerGroup;
    s_chunk_location = s_base + payload * s_chunk_limit;
    s_used = 0u;
}

// Memory for `units` units in `groups` workgroups of ours, of which the first is number `first`: theirs by their number,
// so that nobody has to ask.
void mr_locate_memory(const uint first, const uint groups, const uint units)
{
    if (MR_EMITS == kEmitsNothing || MR_SENDS_ONCE || gl_LocalInvocationIndex != 0u)
        return;
    uint granules = MR_SLOT.fitGranulesPerGroup;
    s_chunk_location = s_base + first * granules;
    s_chunk_shares = mr_are_units_beside() ? units : groups;
    if (MR_EMITS == kEmitsToOne)
        s_chunk_limit = MR_SLOT.onlyLimit * s_chunk_shares;
    else if (MR_EMITS == kEmitsToSeveral)
        s_chunk_limit = mr_are_units_beside() ? granules / mr_units_per_group() * units : granules * groups;
}

void mr_reset_memory()
{
    if (MR_EMITS == kEmitsToFew) {
        for (uint i = gl_LocalInvocationIndex; i < kMaxAreas; i += MR_WORKGROUP_SIZE) {
            s_area_used[i] = 0u;
            s_area_failed[i] = ~0u;
        }
    } else if (MR_EMITS != kEmitsNothing && gl_LocalInvocationIndex == 0u) {
        s_used = 0u;
        s_failed = ~0u;
    }
}

// Of a batch: what belongs to one slot of the rest of the current chunk, or of the next. Its first workgroup, counted in the
// slot, and how many; false behind the last.
bool mr_take_part_of_batch(out Unit first, out uint groups)
{
    if (g_left == 0u) {
        g_next = uint(g_chunk);
        g_left = g_chunk_groups;
        g_chunk += Unit(g_chunk_groups * mr_group_count());
    }
    if (!mr_turn_to_slot(g_next))
        return false;
    mr_count_slot_groups();
    first = Unit(g_next - mr_groups_before());
    groups = min(g_left, mr_groups_behind(g_next));
    g_next += groups;
    g_left -= groups;
    return true;
}

// The next chunk, or the part of it that belongs to one slot. All invocations; ends with a barrier if it is true.
bool mr_take_chunk()
{
    mr_reset_memory();
    Unit first = g_chunk;
    uint groups = g_chunk_groups;
    if (mr_is_batch()) {
        if (!mr_take_part_of_batch(first, groups))
            return false;
    } else {
        g_chunk = MR_INDIRECT ? kNoChunk : g_chunk + Unit(g_chunk_groups * mr_group_count());
    }
    // Also where the memory is not initialized, and the tables are nowhere.
    if (first >= g_slot_groups)
        return false;
    groups = uint(min(Unit(groups), g_slot_groups - first));
    uint perGroup = mr_units_per_group();
    g_unit = g_first_unit + first * Unit(perGroup);
    g_end = g_unit + min(g_total - g_unit, Unit(groups * perGroup));
    mr_locate_memory(uint(first), groups, uint(g_end - g_unit));
    if (MR_EMITS != kEmitsNothing)
        barrier();
    return true;
}

void mr_publish_areas()
{
    for (uint i = gl_LocalInvocationIndex; i < s_area_count; i += MR_WORKGROUP_SIZE) {
        uint count = min(s_area_used[i], s_area_failed[i]);
        if (count == 0u)
            continue;
        AreaInfo area = AreaInfos(s_areas).v[i];
        mr_publish_run(s_states, area.stream, s_chunk_location + s_chunk_shares * area.offset, count);
    }
    // Invocation 0 goes on to the next chunk, and reports what the others have noted.
    barrier();
}

// What the chunk sent to a queue lies one after the other and becomes one run.
void mr_publish_chunk()
{
    if (MR_EMITS == kEmitsToFew)
        mr_publish_areas();
    if (MR_EMITS != kEmitsToOne || gl_LocalInvocationIndex != 0u || s_only_capacity == 0u)
        return;
    uint count = min(s_used, s_failed);
    if (count > 0u)
        mr_append_run(StreamStates(s_only_state), s_only_table, s_only_capacity, s_chunk_location, count);
}

// Takes so much of the chunk's memory, in what s_used counts. Returns where, or kNoLocation if the node allocates more
// than it declared: then nothing behind is taken either, so that what was taken has no holes.
uint mr_take(const uint amount, const uint count)
{
    uint before = kNoLocation;
    if (s_used <= s_chunk_limit) {
        before = atomicAdd(s_used, min(amount, s_chunk_limit + 1u));
        if (before <= s_chunk_limit && amount <= s_chunk_limit - before)
            return before;
        atomicMin(s_failed, before);
    }
    mr_note(kErrorPayloadCount, count, count);
    return kNoLocation;
}

// Takes `count` > 0 payloads of an area. Returns the number of the first, or kNoLocation as mr_take().
uint mr_take_from_area(const uint index, const uint count)
{
    uint limit = AreaInfos(s_areas).v[index].limit * s_chunk_shares;
    if (s_area_used[index] <= limit) {
        uint before = atomicAdd(s_area_used[index], min(count, limit + 1u));
        if (before <= limit && count <= limit - before)
            return before;
        atomicMin(s_area_failed[index], before);
    }
    mr_note(kErrorPayloadCount, count, count);
    return kNoLocation;
}

// Memory for a run of `count` > 0 payloads where there are several queues.
uint mr_take_memory(const uint stride, const uint count)
{
    uint64_t granules = mr_granules(stride, count);
    uint location = mr_take(uint(min(granules, uint64_t(0x7fffffffu))), count);
    return location == kNoLocation ? kNoLocation : s_chunk_location + location;
}

uint mr_take_memory_alone(const uint stride, const uint count)
{
    return mr_take_memory(stride, count);
}

#endif

#endif

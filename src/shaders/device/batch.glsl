// SPDX-License-Identifier: Apache-2.0
// Several slots of one pipeline in one dispatch: their workgroups of ours are numbered through.
#ifndef MILLRACE_DEVICE_BATCH_GLSL
#define MILLRACE_DEVICE_BATCH_GLSL

#include "device/fitting_slot.glsl"

#if defined(MR_FITS)

uint64_t g_first_slot;  // SlotInfo of the first,
uint g_batch;           // so many,
uint g_batch_step;      // bytes from one to the next
uint g_batch_slot;      // the one in use

shared uint s_batch[kMaxBatchSlots];  // workgroups of ours of the slots up to this one

bool mr_is_batch()
{
    return MR_BATCHED && !MR_INDIRECT && g_batch > 1u;
}

uint64_t mr_batch_info(const uint slot)
{
    return g_first_slot + uint64_t(slot * g_batch_step);
}

// Workgroups of ours of one slot. The host batches slots only if all theirs together are below 2^31.
uint mr_slot_groups(const uint64_t info)
{
    StreamStates stream = StreamStates(g_graph + uint64_t(SlotInfos(info).v[0].streamState));
    Unit units = mr_stream_units(stream.v[0].counter, stream.v[0].capacity, stream.v[0].table) *
                 Unit(mr_units_per_payload());
    uint perGroup = mr_units_per_group();
    return perGroup == 1u ? uint(units) : mr_divide(units + Unit(perGroup - 1u), perGroup);
}

// Each invocation adds up a few neighbours; then the sums are added up. All invocations; ends with a barrier.
void mr_begin_batch()
{
    uint each = (g_batch + MR_WORKGROUP_SIZE - 1u) / MR_WORKGROUP_SIZE;
    uint parts = (g_batch + each - 1u) / each;
    uint own = gl_LocalInvocationIndex;
    uint first = own * each;
    uint last = min(first + each, g_batch) - 1u;
    uint sum = 0u;
    for (uint i = first; own < parts && i <= last; ++i) {
        sum += mr_slot_groups(mr_batch_info(i));
        s_batch[i] = sum;
    }
    barrier();
    for (uint reach = 1u; reach < parts; reach *= 2u) {
        uint other = own >= reach && own < parts ? s_batch[min((own - reach + 1u) * each, g_batch) - 1u] : 0u;
        barrier();
        if (own < parts)
            s_batch[last] += other;
        barrier();
    }
    uint before = own > 0u && own < parts ? s_batch[first - 1u] : 0u;
    for (uint i = first; own < parts && i < last; ++i)
        s_batch[i] += before;
    barrier();
}

uint mr_batch_groups()
{
    return s_batch[g_batch - 1u];
}

// Of the slots in front of the one in use.
uint mr_groups_before()
{
    return g_batch_slot > 0u ? s_batch[g_batch_slot - 1u] : 0u;
}

// From workgroup `next` of the batch to the last of the slot in use.
uint mr_groups_behind(const uint next)
{
    return s_batch[g_batch_slot] - next;
}

// Turns to the slot that holds workgroup `next` of the batch, not in front of the one in use. False behind the last.
bool mr_turn_to_slot(const uint next)
{
    uint low = g_batch_slot;
    uint high = g_batch;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (s_batch[middle] <= next)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low == g_batch)
        return false;
    if (low != g_batch_slot) {
        g_batch_slot = low;
        uint64_t slot = mr_batch_info(low);
        mr_use_fitting_slot(slot, g_graph + uint64_t(SlotInfos(slot).v[0].streamState));
    }
    return true;
}

#endif

#endif

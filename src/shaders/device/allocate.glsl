// SPDX-License-Identifier: Apache-2.0
// Output payloads: allocation, enqueueing, and finish tracking of inputs.
#ifndef MILLRACE_DEVICE_ALLOCATE_GLSL
#define MILLRACE_DEVICE_ALLOCATE_GLSL

#include "device/state.glsl"

#ifndef MR_PACKED
shared uint64_t s_address;
shared uint s_finished;
shared uint s_counts[kMaxHistogram];
shared uint64_t s_addresses[kMaxHistogram];
#endif

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

// Of `count` payloads from number `index` on, each `apart` numbers from the next; `address` 0 is trash.
uvec4 mr_handle(const uint queue, const uint64_t address, const uint index, const uint apart, const uint count)
{
    if (address == uint64_t(0))
        return mr_trash_handle(count);
    uint stride = g_only_queue != kNoQueue ? g_only_stride : MR_QUEUE(queue).stride;
    return uvec4(unpackUint2x32(address + uint64_t(index) * uint64_t(stride)), count, stride * apart / 4u | queue << 15);
}

// Where the invocations that are here find theirs in a run for all of them.
struct Places {
    uint total;  // payloads
    uint index;  // of this invocation's first
    uint apart;  // from one of its payloads to the next
};

// Payloads of one invocation lie one after the other, which keeps the order. Where that makes neighbours write more than
// 64 bytes from each other and all have as many, payload i of one lies beside payload i of the next instead: an H200
// writes 64 payloads of 20 bytes an invocation three times faster so.
Places mr_places(const uint queue, const uint count)
{
    const uint kMaxApartBytes = 0x7fffu * 4u;  // in a handle
    const uint kMaxOrderedBytes = 64u;
    uvec4 sending = subgroupBallot(count > 0u);
    uint senders = subgroupBallotBitCount(sending);
    Places places = Places(senders, subgroupBallotExclusiveBitCount(sending), 1u);
    if (subgroupBallotBitCount(subgroupBallot(count > 1u)) == 0u)
        return places;
    places.total = subgroupAdd(count);
    uint most = subgroupMax(count);
    uint stride = g_only_queue != kNoQueue ? g_only_stride : MR_QUEUE(queue).stride;
    bool alike = subgroupMin(count > 0u ? count : ~0u) == most;
    if (alike && most * stride > kMaxOrderedBytes && stride <= kMaxApartBytes / senders)
        places.apart = senders;
    else
        places.index = subgroupExclusiveAdd(count);
    return places;
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
    if (queue == kNoHandleQueue ||
        (g_only_queue != kNoQueue ? MR_SLOT.onlyFinishCount : MR_QUEUE(queue).finishCount) == 0u)
        return;
    for (uint i = first; i < mr_array_length(handle); i += step)
        mr_clear_finish_counters(g_graph, queue, mr_element(handle, i));
}

// Where everything goes to one queue, invocations need nobody's help but their subgroup's.
uvec4 mr_allocate_from_chunk(const uint payload_type, const uint count, const uint node_index)
{
    bool sends = count > 0u && node_index == MR_SLOT.onlyIndex && (MR_SLOT.onlyOutputs >> payload_type & 1u) != 0u;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index);
    Places places = mr_places(g_only_queue, sends ? count : 0u);
    uvec2 address = uvec2(0u);
    if (subgroupElect() && places.total > 0u)
        address = unpackUint2x32(mr_take_payloads(places.total));
    address = subgroupBroadcastFirst(address);
    return sends ? mr_handle(g_only_queue, packUint2x32(address), places.index, places.apart, count)
                 : mr_trash_handle(count);
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
           (g_only_queue != kNoQueue ? MR_SLOT.onlyDynamicCount : MR_QUEUE(queue).dynamicCount) > 0u;
}

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
            Places places = mr_places(queue, count);
            uvec2 address = uvec2(0u);
            if (subgroupElect())
                address = unpackUint2x32(mr_take_run(queue, places.total));
            handle = mr_handle(queue, packUint2x32(subgroupBroadcastFirst(address)), places.index, places.apart, count);
            waiting = false;
        }
    }
    return handle;
}

#ifdef MR_PACKED

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
            handle = mr_handle(queue, s_addresses[own], before, 1u, count);
    }
    return handle;
}

// All invocations together, where there is one queue: one run, since memory was reserved for no more. The first that
// sends takes it. It leaves the count at 0 for the next.
uvec4 mr_allocate_one_run(const uint payload_type, const uint count, const uint node_index)
{
    uint queue = mr_queue(payload_type, node_index);
    bool sends = count > 0u && queue != kNoQueue;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index);
    if (!g_counts_clear) {
        if (gl_LocalInvocationIndex == 0u)
            s_counts[0] = 0u;
        barrier();
        g_counts_clear = true;
    }
    uint before = sends ? atomicAdd(s_counts[0], count) : 0u;
    barrier();
    if (sends && before == 0u) {
        s_addresses[0] = mr_take_run(queue, s_counts[0]);
        s_counts[0] = 0u;
    }
    barrier();
    return sends ? mr_handle(queue, s_addresses[0], before, 1u, count) : mr_trash_handle(count);
}

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    uvec4 handle;
    if (g_only_queue != kNoQueue)
        handle = mr_allocate_from_chunk(payload_type, count, node_index);
    else if (MR_WORKGROUP_SIZE <= MR_SUBGROUP_SIZE)
        handle = mr_allocate_runs(payload_type, count, node_index);  // the subgroup is the workgroup: no barriers
    else if (MR_EMITS == kEmitsToSeveral)
        handle = mr_allocate_together(payload_type, count, node_index);
    else
        handle = mr_allocate_one_run(payload_type, count, node_index);
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
    uvec4 handle = mr_handle(queue, s_address, 0u, 1u, count | kWorkgroupScope);
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

// SPDX-License-Identifier: Apache-2.0
// Output payloads: allocation, enqueueing, and finish tracking of inputs.
#ifndef MILLRACE_DEVICE_ALLOCATE_GLSL
#define MILLRACE_DEVICE_ALLOCATE_GLSL

#include "device/handle.glsl"
#include "device/state.glsl"

#if !defined(MR_PACKED)
shared uint s_location;  // of a workgroup's payloads, which begin at
shared uint s_index;     // this one
shared uint s_finished;
shared uint s_counts[kMaxHistogram];
shared uint s_locations[kMaxHistogram];
#endif

// An input handle has no queue and no memory of its own; mr_element() sends it to mr_input_element().
uvec4 mr_input_handle()
{
    return uvec4(0u, 0u, g_input_count, kNoHandleQueue << 15);
}

uint mr_mapped_queue(const OutputInfo info, const uint node_index)
{
    if (node_index >= info.mapCount)
        return kNoQueue;
    return MR_PLAIN_QUEUES     ? info.first + node_index
           : node_index == 0u ? info.first
                              : Words(mr_node_map()).v[info.mapFirst + node_index];
}

uint mr_queue(const uint payload_type, const uint node_index)
{
    return mr_mapped_queue(mr_output(payload_type), node_index);
}

uint mr_indexed_stream(const uint queue)
{
    return MR_PLAIN_QUEUES ? queue : MR_QUEUE(queue).indexedStream;
}

uint mr_stride(const uint queue)
{
    return MR_OUTPUT_STRIDE > 0u ? MR_OUTPUT_STRIDE : MR_QUEUE(queue).stride;
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

// Of `count` payloads from number `index` on, each `apart` numbers from the next, in a run at `location`; kNoLocation is
// trash.
uvec4 mr_handle(const uint queue, const uint stride, const uint location, const uint index, const uint apart,
                const uint count)
{
    bool isTrash = location == kNoLocation;
    uint64_t address = mr_address(g_graph, isTrash ? MR_HEADER(g_graph).trashLocation : location);
    uint64_t offset = isTrash ? uint64_t(0) : uint64_t(index) * uint64_t(stride);
    return uvec4(unpackUint2x32(address + offset), count, isTrash ? kNoHandleQueue << 15 : stride * apart / 4u | queue << 15);
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
Places mr_places(const uint stride, const uint count)
{
    const uint kMaxApartBytes = 0x7fffu * 4u;  // in a handle
    SubgroupSum senders = mr_subgroup_count(count > 0u);
    if (MR_ONE_EACH || mr_subgroup_count(count > 1u).total == 0u)
        return Places(senders.total, senders.before, 1u);
    uint most = mr_subgroup_max(count);
    bool alike = mr_subgroup_count(count == most).total == senders.total;
    if (alike && most * stride > MR_ORDERED_BYTES && stride <= kMaxApartBytes / senders.total)
        return Places(senders.total * most, senders.before, senders.total);
    SubgroupSum payloads = mr_subgroup_sum(count);
    return Places(payloads.total, payloads.before, 1u);
}

// Memory for a run of `count` > 0 payloads, published. Returns its location, kNoLocation if there is none.
uint mr_take_run(const uint queue, const uint count)
{
    uint location = mr_take_memory(mr_stride(queue), count);
    if (location != kNoLocation)
        mr_publish_run(s_states, mr_indexed_stream(queue), location, count);
    return location;
}

// The same for an invocation that is alone.
uint mr_take_run_alone(const uint stream, const uint stride, const uint count)
{
    uint location = mr_take_memory_alone(stride, count);
    if (location != kNoLocation)
        mr_publish_run(s_states, stream, location, count);
    return location;
}

void mr_clear_own_finish_counters(const uvec4 handle, const uint first, const uint step)
{
    uint queue = handle.w >> 15;
    if (!MR_SENDS_TRACKED || queue == kNoHandleQueue || MR_QUEUE(queue).finishCount == 0u)
        return;
    for (uint i = first; i < mr_array_length(handle); i += step)
        mr_clear_finish_counters(g_graph, queue, mr_element(handle, i));
}

void mr_publish_grids(const uvec4 handle, const uint first, const uint step)
{
    uint queue = handle.w >> 15;
    uint firstStream = MR_QUEUE(queue).firstDynamic;
    uint streams = MR_QUEUE(queue).dynamicCount;
    for (uint s = 0u; s < streams; ++s)
        for (uint i = first; i < mr_array_length(handle); i += step)
            mr_publish_dynamic(g_graph, firstStream + s, mr_output_element(handle, i));
}

// Whether a receiver reads its grid from these payloads. Inputs have no queue, and what nobody allocated no payloads.
bool mr_needs_grids(const uvec4 handle)
{
    uint queue = handle.w >> 15;
    return MR_SENDS_GRIDS && queue != kNoHandleQueue && MR_QUEUE(queue).dynamicCount > 0u;
}

uvec4 mr_allocate_nothing(const uint count, const uint node_index)
{
    if (count > 0u)
        mr_report_errors(g_graph, MR_SLOT.name, kErrorNoNode, node_index, count);
    return mr_trash_handle(count);
}

uint mr_only_queue()
{
#if defined(MR_FITS)
    return s_only_queue;
#else
    return kNoQueue;  // nobody asks
#endif
}

uint mr_only_stride()
{
#if defined(MR_FITS)
    return s_only_stride;
#else
    return 0u;
#endif
}

#if defined(MR_FITS)

// Where everything goes to one queue, invocations need nobody's help but their subgroup's: published with the chunk.
uvec4 mr_allocate_from_chunk(const uint payload_type, const uint count, const uint node_index)
{
    bool sends = count > 0u && (MR_ALWAYS_RECEIVED || mr_queue(payload_type, node_index) != kNoQueue);
    if (!MR_ALWAYS_RECEIVED && count > 0u && !sends)
        mr_note(kErrorNoNode, node_index, count);
    Places places = mr_places(s_only_stride, sends ? count : 0u);
    uint index = kNoLocation;
    if (mr_subgroup_elect() && places.total > 0u)
        index = mr_take(places.total, places.total);
    index = mr_subgroup_first(index);
    return mr_handle(s_only_queue, s_only_stride, sends && index != kNoLocation ? s_chunk_location : kNoLocation,
                     index + places.index, places.apart, count);
}

// The same with an area for each queue.
uvec4 mr_allocate_from_areas(const uint payload_type, const uint count, const uint node_index)
{
    OutputInfo info = mr_output(payload_type);
    uint queue = mr_mapped_queue(info, node_index);
    uvec4 handle = mr_trash_handle(count);
    if (count > 0u && queue == kNoQueue)
        mr_note(kErrorNoNode, node_index, count);
    bool waiting = count > 0u && queue != kNoQueue;
    uint index = info.area + node_index;
    while (waiting) {
        if (mr_subgroup_first(index) == index) {
            AreaInfo area = AreaInfos(s_areas).v[index];
            Places places = mr_places(area.stride, count);
            uint first = kNoLocation;
            if (mr_subgroup_elect())
                first = mr_take_from_area(index, places.total);
            first = mr_subgroup_first(first);
            uint location = first == kNoLocation ? kNoLocation : s_chunk_location + s_chunk_shares * area.offset;
            handle = mr_handle(queue, area.stride, location, first + places.index, places.apart, count);
            waiting = false;
        }
    }
    return handle;
}

#else

uvec4 mr_allocate_from_chunk(const uint payload_type, const uint count, const uint node_index)
{
    return mr_trash_handle(count);  // nobody asks
}

uvec4 mr_allocate_from_areas(const uint payload_type, const uint count, const uint node_index)
{
    return mr_trash_handle(count);  // likewise
}

#endif

// Invocations of a subgroup that target the same queue share a run.
uvec4 mr_allocate_runs(const uint payload_type, const uint count, const uint node_index)
{
    uint queue = mr_queue(payload_type, node_index);
    uvec4 handle = mr_trash_handle(count);
    if (count > 0u && queue == kNoQueue)
        mr_note(kErrorNoNode, node_index, count);
    bool waiting = count > 0u && queue != kNoQueue;
    while (waiting) {
        if (mr_subgroup_first(queue) == queue) {
            uint stride = mr_stride(queue);
            Places places = mr_places(stride, count);
            uint location = kNoLocation;
            if (mr_subgroup_elect())
                location = mr_take_run(queue, places.total);
            location = mr_subgroup_first(location);
            handle = mr_handle(queue, stride, location, places.index, places.apart, count);
            waiting = false;
        }
    }
    return handle;
}

uint mr_receiver_stride(const OutputInfo info)
{
    return MR_OUTPUT_STRIDE > 0u ? MR_OUTPUT_STRIDE : info.receiverStride;
}

// Where all of an allocation go to one node index, which is known when the node is compiled. Each subgroup for itself.
uvec4 mr_allocate_one_run_each(const OutputInfo info, const bool sends, const uint count)
{
    uint stride = mr_receiver_stride(info);
    Places places = mr_places(stride, sends ? count : 0u);
    uint location = kNoLocation;
    if (places.total == 0u)
        return mr_trash_handle(count);
    if (mr_subgroup_elect())
        location = mr_take_run_alone(info.receiverStream, stride, places.total);
    location = mr_subgroup_first(location);
    return mr_handle(info.receiver, stride, sends ? location : kNoLocation, places.index, places.apart, count);
}

#if !defined(MR_PACKED)

// Whether each subgroup allocates for itself, without barriers: the subgroup is the workgroup, or has several of the
// node's or parts of them, which come one by one.
bool mr_allocates_alone()
{
    return mr_is_beside() || MR_WORKGROUP_SIZE <= MR_SUBGROUP_SIZE;
}

// All invocations together. Of two allocations one behind the other, the second does not touch what somebody may still
// look at for the first.
uvec4 mr_allocate_one_run_together(const OutputInfo info, const bool sends, const uint count)
{
    uint turn = g_turn;
    g_turn ^= 1u;
    Places places = mr_places(0u, sends ? count : 0u);
    uint before = 0u;
    if (mr_subgroup_elect() && places.total > 0u)
        before = atomicAdd(s_sent[turn], places.total);
    before = mr_subgroup_first(before);
    barrier();
    uint total = s_sent[turn];
    if (total == 0u)
        return mr_trash_handle(count);
    uint stride = mr_receiver_stride(info);
    if (gl_LocalInvocationIndex == 0u)
        s_location = mr_take_run_alone(info.receiverStream, stride, total);
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        s_sent[turn] = 0u;
    return mr_handle(info.receiver, stride, sends ? s_location : kNoLocation, before + places.index, places.apart, count);
}

#endif

uvec4 mr_allocate_to_one(const uint payload_type, const uint count, const uint node_index)
{
    uvec4 handle;
    if (MR_EMITS == kEmitsNothing) {
        handle = mr_allocate_nothing(count, node_index);
    } else if (MR_FROM_CHUNK) {
        handle = mr_allocate_from_chunk(payload_type, count, node_index);
    } else if (MR_FROM_AREAS) {
        handle = mr_allocate_from_areas(payload_type, count, node_index);
    } else {
        // The same for all invocations.
        OutputInfo info = mr_output(payload_type);
        bool sends = count > 0u && (MR_ALWAYS_RECEIVED || info.receiver != kNoQueue);
        if (count > 0u && !sends)
            mr_note(kErrorNoNode, node_index, count);
#if defined(MR_PACKED)
        handle = mr_allocate_one_run_each(info, sends, count);
#else
        if (mr_allocates_alone())
            handle = mr_allocate_one_run_each(info, sends, count);
        else
            handle = mr_allocate_one_run_together(info, sends, count);
#endif
    }
    mr_clear_own_finish_counters(handle, 0u, 1u);
    return handle;
}

#if defined(MR_PACKED)

#if defined(MR_DEPTH_FIRST)
// What each invocation that is here leaves to others (device/depth_first.glsl), in memory that nobody has reserved: none
// where there is none.
uvec4 mr_allocate_to_leave(const uint payload_type, const uint count)
{
    OutputInfo info = mr_output(payload_type);  // the only one
    uint stride = info.receiverStride;
    Places places = mr_places(stride, count);
    uint location = kNoLocation;
    if (mr_subgroup_elect() && info.receiver != kNoQueue && MR_SLOT.leaving > 0u &&
        mr_reserve_exactly(g_graph, g_level, mr_granules(stride, places.total), uint64_t(1)))
        location = mr_take_run_alone(info.receiverStream, stride, places.total);
    location = mr_subgroup_first(location);
    if (location == kNoLocation) {
        mr_keep_all();
        return mr_trash_handle(0u);
    }
    g_left = mr_handle(info.receiver, stride, location, places.index, places.apart, count);
    return g_left;
}
#endif

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
#if defined(MR_DEPTH_FIRST)
    return mr_allocate_to_leave(payload_type, count);
#else
    uvec4 handle;
    if (MR_EMITS == kEmitsNothing)
        handle = mr_allocate_nothing(count, node_index);
    else if (MR_FROM_CHUNK)
        handle = mr_allocate_from_chunk(payload_type, count, node_index);
    else if (MR_FROM_AREAS)
        handle = mr_allocate_from_areas(payload_type, count, node_index);
    else
        handle = mr_allocate_runs(payload_type, count, node_index);
    mr_clear_own_finish_counters(handle, 0u, 1u);
    return handle;
#endif
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    return mr_allocate_invocation(payload_type, count, node_index);
}

void mr_enqueue_invocation(const uvec4 handle)
{
    if (mr_needs_grids(handle))
        mr_publish_grids(handle, 0u, 1u);
}

void mr_enqueue_workgroup(const uvec4 handle)
{
    mr_enqueue_invocation(handle);
}

void mr_enqueue(const uvec4 handle)
{
    mr_enqueue_invocation(handle);
}

// A packed node coalesces, and a coalescing node must not ask.
bool mr_finish_writing()
{
    return true;
}

#else

// All invocations together: a histogram over the node indices in shared memory, then one run per node index, which the
// first that sends there takes. It leaves the counts at 0 for the next.
uvec4 mr_allocate_together(const uint payload_type, const uint count, const uint node_index)
{
    OutputInfo info = mr_output(payload_type);
    uint queue = mr_mapped_queue(info, node_index);
    bool sends = count > 0u && queue != kNoQueue;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index, count);
    if (!g_counts_clear) {
        for (uint i = gl_LocalInvocationIndex; i < kMaxHistogram; i += MR_WORKGROUP_SIZE)
            s_counts[i] = 0u;
        barrier();
        g_counts_clear = true;
    }
    uint location = kNoLocation;
    uint before = 0u;
    for (uint first = 0u; first < info.mapCount; first += kMaxHistogram) {
        uint own = node_index - first;
        bool here = sends && own < kMaxHistogram;
        if (here)
            before = atomicAdd(s_counts[own], count);
        barrier();
        if (here && before == 0u) {
            s_locations[own] = mr_take_run(queue, s_counts[own]);
            s_counts[own] = 0u;
        }
        barrier();
        if (here)
            location = s_locations[own];
    }
    return mr_handle(queue, sends ? mr_stride(queue) : 0u, sends ? location : kNoLocation, before, 1u, count);
}

// All invocations together, where there is one queue: one run, since memory was reserved for no more. The first that
// sends takes it. It leaves the count at 0 for the next.
uvec4 mr_allocate_one_run(const uint payload_type, const uint count, const uint node_index)
{
    uint queue = mr_queue(payload_type, node_index);
    bool sends = count > 0u && queue != kNoQueue;
    if (count > 0u && !sends)
        mr_note(kErrorNoNode, node_index, count);
    if (!g_counts_clear) {
        if (gl_LocalInvocationIndex == 0u)
            s_counts[0] = 0u;
        barrier();
        g_counts_clear = true;
    }
    uint before = sends ? atomicAdd(s_counts[0], count) : 0u;
    barrier();
    if (sends && before == 0u) {
        s_locations[0] = mr_take_run(queue, s_counts[0]);
        s_counts[0] = 0u;
    }
    barrier();
    return mr_handle(queue, sends ? mr_stride(queue) : 0u, sends ? s_locations[0] : kNoLocation, before, 1u, count);
}

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    uvec4 handle;
    if (MR_EMITS == kEmitsNothing)
        handle = mr_allocate_nothing(count, node_index);
    else if (MR_FROM_CHUNK)
        handle = mr_allocate_from_chunk(payload_type, count, node_index);
    else if (MR_FROM_AREAS)
        handle = mr_allocate_from_areas(payload_type, count, node_index);
    else if (mr_allocates_alone())
        handle = mr_allocate_runs(payload_type, count, node_index);
    else if (MR_EMITS == kEmitsToSeveral)
        handle = mr_allocate_together(payload_type, count, node_index);
    else
        handle = mr_allocate_one_run(payload_type, count, node_index);
    mr_clear_own_finish_counters(handle, 0u, 1u);
    return handle;
}

// One invocation takes it; the payloads begin at number `first` of what is at the location.
uint mr_take_for_workgroup(const uint queue, const uint stride, const uint area, const uint count, out uint first)
{
    first = 0u;
#if defined(MR_FITS)
    if (MR_FROM_CHUNK) {
        first = mr_take(count, count);
        return first == kNoLocation ? kNoLocation : s_chunk_location;
    }
    if (MR_FROM_AREAS) {
        first = mr_take_from_area(area, count);
        return first == kNoLocation ? kNoLocation : s_chunk_location + s_chunk_shares * AreaInfos(s_areas).v[area].offset;
    }
#endif
    return mr_take_run_alone(mr_indexed_stream(queue), stride, count);
}

uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    const uint kWorkgroupScope = 0x80000000u;
    if (mr_is_beside())  // of one invocation each
        return mr_allocate_invocation(payload_type, count, node_index);
    if (MR_EMITS == kEmitsNothing) {
        mr_allocate_nothing(gl_LocalInvocationIndex == 0u ? count : 0u, node_index);
        return mr_trash_handle(count | kWorkgroupScope);
    }
    uint queue;
    uint stride;
    uint area = 0u;
    if (MR_FROM_CHUNK && MR_ALWAYS_RECEIVED) {
        queue = mr_only_queue();
        stride = mr_only_stride();
    } else {
        OutputInfo info = mr_output(payload_type);
        queue = mr_mapped_queue(info, node_index);
        stride = queue == kNoQueue         ? 0u
                 : info.receiver == queue ? mr_receiver_stride(info)
                                           : mr_stride(queue);
        area = info.area + node_index;
    }
    if (count == 0u || queue == kNoQueue) {
        if (count > 0u && gl_LocalInvocationIndex == 0u)
            mr_note(kErrorNoNode, node_index, count);
        return mr_trash_handle(count | kWorkgroupScope);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        uint index;
        s_location = mr_take_for_workgroup(queue, stride, area, count, index);
        s_index = index;
    }
    barrier();
    uvec4 handle = mr_handle(queue, stride, s_location, s_index, 1u, count | kWorkgroupScope);
    mr_clear_own_finish_counters(handle, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
    return handle;
}

// Indexed streams learn of the payloads when they are allocated. Grids can be read only now.
void mr_enqueue_invocation(const uvec4 handle)
{
    if (mr_needs_grids(handle))
        mr_publish_grids(handle, 0u, 1u);
}

void mr_enqueue_workgroup(const uvec4 handle)
{
    if (mr_is_beside()) {
        mr_enqueue_invocation(handle);
        return;
    }
    if (!mr_needs_grids(handle))
        return;
    // Any invocation may have written any payload, and the application has put no barrier in between.
    memoryBarrierBuffer();
    barrier();
    mr_publish_grids(handle, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
}

// Where the code does not say how the payloads were allocated. One call of mr_publish_grids() with begin and step chosen
// before would do, but lavapipe (Mesa 25.0.7) then leaves payloads out.
void mr_enqueue(const uvec4 handle)
{
    if ((handle.z & 0x80000000u) != 0u)
        mr_enqueue_workgroup(handle);
    else
        mr_enqueue_invocation(handle);
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
    // The next to write it comes behind a barrier that all who read it come to first.
    bool last = s_finished == mr_payload_groups();
    if (last)
        memoryBarrier();
    return last;
}

#endif

#endif

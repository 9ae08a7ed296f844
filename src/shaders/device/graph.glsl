// SPDX-License-Identifier: Apache-2.0
// The graph's memory as buffer references, and the counters' packed halves.
#ifndef MILLRACE_DEVICE_GRAPH_GLSL
#define MILLRACE_DEVICE_GRAPH_GLSL

#include "abi/graph_memory.h"
#include "abi/dispatch.h"

#define MR_REFERENCE(name, type, alignment) \
    layout(buffer_reference, scalar, buffer_reference_align = alignment) buffer name { type v[]; }
// What no shader of the dispatch writes through any name, once it has begun: drivers need not order it with anything, and
// AMD's compilers take fewer registers for it. Shaders around the nodes go without: NVIDIA's compiler gets such loads wrong
// (docs/gpu.md), and the pass that drops the word there (nodes/passes/drop_read_only.h) sees nodes alone.
#if !defined(MR_READ_ONLY)
#define MR_READ_ONLY
#endif
#define MR_READ_ONLY_REFERENCE(name, type, alignment) \
    layout(buffer_reference, scalar, buffer_reference_align = alignment) MR_READ_ONLY buffer name { type v[]; }

MR_REFERENCE(Words, uint, 4);
MR_REFERENCE(GraphHeaders, GraphHeader, 8);
MR_READ_ONLY_REFERENCE(SlotInfos, SlotInfo, 8);
MR_READ_ONLY_REFERENCE(OutputInfos, OutputInfo, 8);
MR_READ_ONLY_REFERENCE(AreaInfos, AreaInfo, 8);
MR_READ_ONLY_REFERENCE(QueueInfos, QueueInfo, 8);
MR_READ_ONLY_REFERENCE(StreamInfos, StreamInfo, 8);
MR_REFERENCE(NewSlotInfos, SlotInfo, 8);
MR_REFERENCE(SlotStates, SlotState, 8);
MR_REFERENCE(StreamStates, StreamState, 8);
MR_REFERENCE(LevelStates, LevelState, 8);
MR_READ_ONLY_REFERENCE(IndexedEntries, IndexedEntry, 8);
MR_READ_ONLY_REFERENCE(DynamicEntries, DynamicEntry, 8);
MR_READ_ONLY_REFERENCE(Pairs, uvec2, 8);
MR_REFERENCE(NewIndexedEntries, IndexedEntry, 8);
MR_REFERENCE(NewDynamicEntries, DynamicEntry, 8);
MR_REFERENCE(Statuses, GraphStatus, 4);

const uint64_t kUnitMask = (uint64_t(1) << kUnitBits) - uint64_t(1);
const uint64_t kReservedMask = (uint64_t(1) << kReservedBits) - uint64_t(1);

#define MR_HEADER(graph) GraphHeaders(graph).v[0]

// Units of a slot that are taken when the sweep ends, of `total` that have arrived.
uint64_t mr_taken(const SlotInfo slot, const SlotState state, const uint64_t total)
{
    if (slot.most == 0u)
        return min(total, MR_LONG_ATOMICS ? state.cursor : state.cursor + uint64_t(min(state.ticket, kMaxTicket)));
    uint64_t left = total - min(total, state.counted);
    if (slot.most == kTakesAll)
        return total;
    return total - left + min(left, uint64_t(slot.most) * uint64_t(slot.unitsPerPayload));
}

// In one piece: drivers read members one by one. (The same for dynamic entries makes M5 a fifth slower on an H200.)
IndexedEntry mr_indexed_entry(const uint64_t table, const uint number)
{
    uvec2 words = Pairs(table).v[number];
    return IndexedEntry(words.x, words.y);
}

uint64_t mr_address(const uint64_t graph, const uint location)
{
    return graph + uint64_t(location) * uint64_t(kGranuleBytes);
}

// Of all workgroups the first error is kept, the others are counted. The host's count may lag, since whoever writes it
// last wins.
void mr_report_errors(const uint64_t graph, const uint node, const uint error, const uint value, const uint count)
{
    Statuses host = Statuses(MR_HEADER(graph).hostStatus);
    if (atomicCompSwap(MR_HEADER(graph).status.error, kErrorNone, error) == kErrorNone) {
        MR_HEADER(graph).status.errorNode = node;
        MR_HEADER(graph).status.errorValue = value;
        host.v[0].errorNode = node;
        host.v[0].errorValue = value;
        host.v[0].error = error;
    }
    host.v[0].errorCount = atomicAdd(MR_HEADER(graph).status.errorCount, count) + count;
}

// What went wrong in the workgroup since the last mr_report(). Each place that may fail notes it only, since reporting is
// long and drivers copy it to every such place.
shared uint s_error_count;
shared uint s_error;  // the first, and what there is to say of it
shared uint s_error_value;

// Ahead of all notes, with a barrier in between.
void mr_begin_notes()
{
    if (gl_LocalInvocationIndex == 0u)
        s_error_count = 0u;
}

// Of so many payloads, or infos, that are dropped.
void mr_note(const uint error, const uint value, const uint dropped)
{
    const uint kMost = 1u << 20;  // that the sum does not overflow
    if (atomicAdd(s_error_count, min(dropped, kMost)) == 0u) {
        s_error = error;
        s_error_value = value;
    }
}

// Of a workgroup that has allocated more payloads than it declares, behind all that it noted. That some did not fit
// follows from it.
void mr_note_budget(const uint payloads)
{
    if (s_error_count == 0u || s_error == kErrorPayloadCount) {
        s_error = kErrorBudget;
        s_error_value = payloads;
    }
    atomicMax(s_error_count, 1u);
}

// All invocations, behind a barrier.
void mr_report(const uint64_t graph, const uint node)
{
    if (gl_LocalInvocationIndex != 0u || s_error_count == 0u)
        return;
    mr_report_errors(graph, node, s_error, s_error_value, s_error_count);
    s_error_count = 0u;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Tracing: copies what a sweep has done from the scheduler's counters to the host, before they are reset. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/trace.h"
#include "meta/streams.glsl"

layout(local_size_x = MR_INVOCATIONS) in;
layout(push_constant, scalar) uniform Arguments { SnapshotArguments a; };

MR_REFERENCE(Rings, TraceRing, 8);
MR_REFERENCE(Sweeps, TraceSweep, 8);
MR_REFERENCE(Longs, uint64_t, 8);
MR_REFERENCE(TraceSlots, TraceSlot, 8);
MR_REFERENCE(TraceStreams, TraceStream, 8);
MR_REFERENCE(TraceLevels, TraceLevel, 8);

const uint kNoRecord = ~0u;

shared uint s_record;

void writeSlots(const uint64_t to)
{
    GraphHeaders header = GraphHeaders(a.graph);
    StreamStates streams = StreamStates(header.v[0].streamStates);
    SlotStates states = SlotStates(header.v[0].slotStates);
    for (uint i = gl_LocalInvocationIndex; i < header.v[0].slotCount; i += gl_WorkGroupSize.x) {
        SlotInfo slot = SlotInfos(header.v[0].slots).v[i];
        TraceSlot traced = TraceSlot(uint64_t(0), uint64_t(0), uint64_t(0), 0u, 0u);
        if (slot.level > 0u) {
            StreamState stream = streams.v[slot.stream];
            traced.total = mr_slot_total(slot, stream);
            bool fits = (a.flags & kFlagFits) != 0u;  // then nobody counts, and everything is done
            traced.before = fits ? uint64_t(0) : min(states.v[i].counted, traced.total);
            traced.after = fits ? traced.total : mr_taken(slot, states.v[i], traced.total);
            if (traced.after > traced.before)
                traced.records = uint(mr_payloads_before(slot, stream, traced.after) -
                                      mr_payloads_before(slot, stream, traced.before));
        }
        TraceSlots(to).v[i] = traced;
    }
}

void writeStreamsAndLevels(uint64_t to)
{
    GraphHeaders header = GraphHeaders(a.graph);
    uint own = gl_LocalInvocationIndex;
    StreamStates streams = StreamStates(header.v[0].streamStates);
    for (uint i = own; i < header.v[0].streamCount; i += gl_WorkGroupSize.x)
        TraceStreams(to).v[i] = TraceStream(streams.v[i].counter & kUnitMask, uint64_t(mr_stream_entries(streams.v[i])));
    to += uint64_t(header.v[0].streamCount) * uint64_t(16u);
    LevelStates levels = LevelStates(header.v[0].levelStates);
    for (uint i = own; i < header.v[0].levelCount; i += gl_WorkGroupSize.x)
        TraceLevels(to).v[i] = TraceLevel(levels.v[i].used, 0u);
}

void main()
{
    GraphHeaders header = GraphHeaders(a.graph);
    Rings ring = Rings(a.ring);
    uint own = gl_LocalInvocationIndex;
    if (header.v[0].magic != kGraphMagic)
        return;
    uint written = 0u;
    if (own == 0u) {
        // In memory of the host: read once, all together.
        TraceRing now = ring.v[0];
        written = now.written;
        bool room = now.written - now.read < now.capacity - 1u;
        s_record = room ? now.written & (now.capacity - 1u) : kNoRecord;
        if (!room)
            ring.v[0].lost = now.lost + 1u;
    }
    barrier();
    if (s_record == kNoRecord)
        return;
    uint64_t to = a.ring + uint64_t(kTraceRingBytes) + uint64_t(s_record) * uint64_t(a.recordBytes);
    if (own == 0u)
        Sweeps(to).v[0] = TraceSweep(header.v[0].status.sweeps, header.v[0].status.error, header.v[0].status.errorCount,
                                     0u, header.v[0].feedCursor + uint64_t(min(header.v[0].feedTicket, kMaxTicket)),
                                     header.v[0].feedTotal);
    to += uint64_t(32u);
    for (uint i = own; a.times != uint64_t(0) && i < a.timeCount; i += gl_WorkGroupSize.x)
        Longs(to).v[i] = Longs(a.times).v[i];
    to += uint64_t(a.timeCount) * uint64_t(8u);
    writeSlots(to);
    writeStreamsAndLevels(to + uint64_t(header.v[0].slotCount) * uint64_t(32u));
    memoryBarrierBuffer();
    barrier();
    if (own == 0u)
        ring.v[0].written = written + 1u;
}

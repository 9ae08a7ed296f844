// SPDX-License-Identifier: Apache-2.0
// Captures payloads: copies those that have arrived for a slot and pass its filter to the host, in the order of their
// queue. One workgroup; nothing here is in a hurry.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/capture.h"
#include "meta/streams.glsl"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { CaptureArguments a; };

MR_REFERENCE(Jobs, CaptureJob, 8);
MR_REFERENCE(Rings, CaptureRing, 8);
MR_REFERENCE(Records, CaptureRecord, 4);

const uint kPayloads = 128u;  // looked at at a time, one by each invocation

shared uint s_before[kPayloads];  // that passed, up to this one
shared uint s_written;
shared uint s_taken;

// Streams that are empty again begin anew, and so does a dispatch.
void beginSweep()
{
    GraphHeaders header = GraphHeaders(a.graph);
    for (uint i = gl_LocalInvocationIndex; i < a.jobCount; i += gl_WorkGroupSize.x) {
        Jobs jobs = Jobs(a.jobs);
        if (header.v[0].status.sweeps == 0u) {
            jobs.v[i].run += 1u;
            jobs.v[i].taken = 0u;
            jobs.v[i].seen = 0u;
        }
        SlotInfo slot = SlotInfos(header.v[0].slots).v[jobs.v[i].slot];
        if (StreamStates(header.v[0].streamStates).v[slot.stream].counter == uint64_t(0))
            jobs.v[i].seen = 0u;
    }
}

// The scalar at any address, without touching a word that holds none of it.
uint64_t readScalar(const uint64_t address, const uint bytes)
{
    uint64_t value = uint64_t(0);
    for (uint i = 0u; i < bytes; ++i) {
        uint64_t at = address + uint64_t(i);
        uint word = Words(at & ~uint64_t(3)).v[0];
        value |= uint64_t(word >> ((uint(at) & 3u) * 8u) & 0xffu) << (i * 8u);
    }
    return value;
}

// The bits of a float in an order that integers compare, lowest first. Zeros are the same.
uint64_t orderedFloat(const uint64_t bits, const uint width)
{
    uint64_t sign = uint64_t(1) << (width - 1u);
    uint64_t magnitude = bits & (sign - uint64_t(1));
    return (bits & sign) != uint64_t(0) ? sign - magnitude : sign + magnitude;
}

bool isNan(const uint64_t bits, const uint width)
{
    uint mantissa = width == 16u ? 10u : width == 32u ? 23u : 52u;
    uint64_t sign = uint64_t(1) << (width - 1u);
    uint64_t infinity = (sign - uint64_t(1)) & ~((uint64_t(1) << mantissa) - uint64_t(1));
    return (bits & (sign - uint64_t(1))) > infinity;
}

bool passes(const CaptureJob job, const uint64_t payload)
{
    if (job.compare == kCompareNothing)
        return true;
    uint width = job.memberBytes * 8u;
    uint64_t own = readScalar(payload + uint64_t(job.memberOffset), job.memberBytes);
    uint64_t other = job.value;
    if (job.memberKind == kMemberFloat) {
        if (isNan(own, width) || isNan(other, width))
            return job.compare == kCompareUnequal;
        own = orderedFloat(own, width);
        other = orderedFloat(other, width);
    } else if (job.memberKind == kMemberSigned) {
        uint64_t sign = uint64_t(1) << 63;
        uint64_t extended = (own >> (width - 1u) & uint64_t(1)) == uint64_t(0) ? own : own | ~uint64_t(0) << (width - 1u);
        own = extended ^ sign;
        other = other ^ sign;
    }
    switch (job.compare) {
        case kCompareEqual:
            return own == other;
        case kCompareUnequal:
            return own != other;
        case kCompareLess:
            return own < other;
        case kCompareLessEqual:
            return own <= other;
        case kCompareGreater:
            return own > other;
        default:
            return own >= other;
    }
}

void copyPayload(const CaptureJob job, const uint64_t payload, const uint number, const uint record)
{
    uint64_t to = a.ring + uint64_t(kCaptureRingBytes) + uint64_t(record) * uint64_t(a.recordBytes);
    Records(to).v[0] = CaptureRecord(a.job, job.run, GraphHeaders(a.graph).v[0].status.sweeps, number);
    to += uint64_t(kCaptureRecordBytes);
    for (uint i = 0u; i * 4u < job.payloadBytes; ++i)
        Words(to).v[i] = Words(payload).v[i];
}

void main()
{
    GraphHeaders header = GraphHeaders(a.graph);
    if (header.v[0].magic != kGraphMagic)
        return;
    if (a.job >= a.jobCount) {
        beginSweep();
        return;
    }
    uint own = gl_LocalInvocationIndex;
    CaptureJob job = Jobs(a.jobs).v[a.job];
    SlotInfo slot = SlotInfos(header.v[0].slots).v[job.slot];
    StreamState stream = StreamStates(header.v[0].streamStates).v[slot.stream];
    uint kind = StreamInfos(header.v[0].streams).v[slot.stream].kind;
    uint total = uint(mr_stream_payloads(kind, stream));
    Rings ring = Rings(a.ring);
    if (own == 0u) {
        s_written = ring.v[0].written;
        s_taken = Jobs(a.jobs).v[job.counter].taken;
    }
    uint room = ring.v[0].read + ring.v[0].capacity;  // of `written`
    uint capacity = ring.v[0].capacity;
    barrier();
    for (uint first = job.seen; first < total && s_taken < job.first; first += kPayloads) {
        uint number = first + own;
        uint64_t payload = uint64_t(0);
        if (number < total)
            payload = mr_stream_payload(a.graph, kind, stream, slot.payloadStride, number);
        bool passed = number < total && passes(job, payload);
        s_before[own] = passed ? 1u : 0u;
        barrier();
        for (uint reach = 1u; reach < kPayloads; reach *= 2u) {
            uint other = own >= reach ? s_before[own - reach] : 0u;
            barrier();
            s_before[own] += other;
            barrier();
        }
        uint rank = s_before[own] - (passed ? 1u : 0u);
        uint left = job.first - s_taken;
        uint at = s_written + rank;
        if (passed && rank < left && int(room - at) > 0)
            copyPayload(job, payload, number, at & (capacity - 1u));
        barrier();
        if (own == 0u) {
            uint taken = min(s_before[kPayloads - 1u], left);
            uint kept = min(taken, room - s_written);
            s_taken += taken;
            s_written += kept;
            ring.v[0].lost += taken - kept;
        }
        barrier();
    }
    memoryBarrierBuffer();
    barrier();
    if (own == 0u) {
        Jobs(a.jobs).v[a.job].seen = total;
        Jobs(a.jobs).v[job.counter].taken = s_taken;
        ring.v[0].written = s_written;
    }
}

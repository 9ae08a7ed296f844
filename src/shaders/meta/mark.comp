// SPDX-License-Identifier: Apache-2.0
// Tracing node by node: what the streams that a node may send to have received so far.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/trace.h"
#include "meta/streams.glsl"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { MarkArguments a; };

MR_REFERENCE(Rings, TraceRing, 8);
MR_REFERENCE(Longs, uint64_t, 8);

void main()
{
    GraphHeaders header = GraphHeaders(a.graph);
    if (header.v[0].magic != kGraphMagic)
        return;
    // The record at `written` is always free, see TraceRing.
    TraceRing ring = Rings(a.ring).v[0];
    uint64_t to = a.ring + uint64_t(kTraceRingBytes) +
                  uint64_t(ring.written & (ring.capacity - 1u)) * uint64_t(a.recordBytes) + uint64_t(a.offset);
    for (uint i = gl_GlobalInvocationID.x; i < a.count; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
        uint stream = Words(a.streams).v[i];
        Longs(to).v[i] = mr_stream_payloads(StreamInfos(header.v[0].streams).v[stream].kind,
                                            StreamStates(header.v[0].streamStates).v[stream]);
    }
}

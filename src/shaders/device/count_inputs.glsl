// SPDX-License-Identifier: Apache-2.0
// Whether the inputs that the device has are within the bounds of the plan (graph::InputBound). By one workgroup.
#ifndef MILLRACE_DEVICE_COUNT_INPUTS_GLSL
#define MILLRACE_DEVICE_COUNT_INPUTS_GLSL

#include "device/dispatch_info.glsl"

const uint kMostCounted = 1u << 25;  // above any bound; sums of so many infos do not overflow

shared uint s_counted_payloads;
shared uint s_counted_chunks;

// All invocations of the workgroup, behind mr_begin_header().
void mr_count_inputs(const BeginArguments a)
{
    uint own = gl_LocalInvocationIndex;
    DispatchCountInfo infos = DispatchCountInfo(a.inputCount, 0u, a.inputs, a.inputStride);
    if (a.inputCount == kCountOnDevice)
        infos = mr_read_count_info(a.inputs);
    if (own == 0u) {
        s_counted_payloads = 0u;
        s_counted_chunks = 0u;
    }
    barrier();
    bool isFew = infos.count <= kMostCountedInfos;
    for (uint i = own; isFew && i < infos.count; i += gl_WorkGroupSize.x) {
        uint payloads = mr_read_bytes(infos.infos + uint64_t(i) * infos.stride + uint64_t(4u), 4u);
        // Nobody adds any further once the sum is above all bounds.
        if (payloads > a.payloadBound || s_counted_payloads > a.payloadBound) {
            atomicMax(s_counted_payloads, kMostCounted);
        } else if (payloads > 0u) {
            atomicAdd(s_counted_payloads, payloads);
            atomicAdd(s_counted_chunks, (payloads + kFeedChunkPayloads - 1u) / kFeedChunkPayloads);
        }
    }
    barrier();
    if (own != 0u)
        return;
    bool isWithin = isFew && s_counted_payloads <= a.payloadBound;
    GraphHeaders header = GraphHeaders(a.graph);
    header.v[0].again = isWithin ? 0u : 1u;
    header.v[0].feedGroups = isWithin ? min(s_counted_chunks, a.feedGroups) : 0u;
    header.v[0].feedDone = 0u;
    // Otherwise the last workgroup of feed.comp says it.
    if (!isWithin || s_counted_chunks == 0u)
        Statuses(a.status).v[0].remaining = isWithin ? 0u : 1u;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Whether the inputs that the device has are within the bounds of the plan (graph::InputBound), and how feed.comp finds
// them. By one workgroup.
#ifndef MILLRACE_DEVICE_COUNT_INPUTS_GLSL
#define MILLRACE_DEVICE_COUNT_INPUTS_GLSL

#include "device/dispatch_info.glsl"

shared uint s_payloads;
shared uint s_most_payloads;  // of an info
shared uint s_chunks;
shared uint s_groups;

// Each invocation adds up its own, up to one above the bound, which has up to 23 bits: the sum of all 256 does not overflow.
void mr_count_payloads(const BeginArguments a, const DispatchCountInfo infos)
{
    uint sum = 0u;
    uint most = 0u;
    uint chunks = 0u;
    for (uint i = gl_LocalInvocationIndex; i < infos.count; i += gl_WorkGroupSize.x) {
        uint payloads = mr_read_bytes(infos.infos + uint64_t(i) * infos.stride + uint64_t(4u), 4u);
        payloads = min(payloads, a.payloadBound + 1u);
        sum = min(sum + payloads, a.payloadBound + 1u);
        most = max(most, payloads);
        chunks += (payloads + kFeedChunkPayloads - 1u) / kFeedChunkPayloads;
    }
    if (sum > 0u) {
        atomicAdd(s_payloads, sum);
        atomicMax(s_most_payloads, most);
        atomicAdd(s_chunks, chunks);
    }
}

// Workgroups of the payload for a stream, but no more than `most`.
uint mr_asked_groups(const StreamInfo stream, const uint64_t payload, const uint most)
{
    uint groups = 1u;
    for (uint c = 0u; c < stream.gridComponents; ++c) {
        uint64_t at = payload + uint64_t(stream.gridOffset + c * stream.gridComponentBytes);
        uint low;
        uint high;
        umulExtended(groups, mr_read_bytes(at, stream.gridComponentBytes), high, low);
        groups = high > 0u ? most : min(low, most);
    }
    return groups;
}

// Of an info, for all streams together, up to one above the bound.
uint mr_asked_by_info(const BeginArguments a, const DispatchInfo info, const uint first, const uint step)
{
    bool known = info.nodeIndex < MR_HEADER(a.graph).apiNodeCount;
    uint queue = known ? Words(MR_HEADER(a.graph).apiNodes).v[info.nodeIndex] : kNoQueue;
    if (queue == kNoQueue)
        return 0u;
    QueueInfo q = QueueInfos(MR_HEADER(a.graph).queues).v[queue];
    uint most = a.groupBound + 1u;
    uint sum = 0u;
    for (uint s = q.firstDynamic; s < q.firstDynamic + q.dynamicCount; ++s) {
        StreamInfo stream = StreamInfos(MR_HEADER(a.graph).streams).v[s];
        for (uint i = first; i < info.payloadCount; i += step)
            sum = min(sum + mr_asked_groups(stream, info.payloads + uint64_t(i) * info.payloadStride, most), most);
    }
    return sum;
}

// An invocation for each info if there are many, all of them for each otherwise.
void mr_count_groups(const BeginArguments a, const DispatchCountInfo infos)
{
    const uint kManyInfos = 16u;
    bool areMany = infos.count > kManyInfos;
    uint own = gl_LocalInvocationIndex;
    uint width = gl_WorkGroupSize.x;
    uint sum = 0u;
    for (uint i = areMany ? own : 0u; i < infos.count; i += areMany ? width : 1u)
        sum = min(sum + mr_asked_by_info(a, mr_read_info(infos.infos + uint64_t(i) * infos.stride), areMany ? 0u : own,
                                         areMany ? 1u : width),
                  a.groupBound + 1u);
    if (sum > 0u)
        atomicAdd(s_groups, sum);
}

void mr_say_bounds(const BeginArguments a, const uint infoCount, const uint bounds)
{
    GraphHeaders header = GraphHeaders(a.graph);
    uint mode = infoCount == 1u ? kFeedOneInfo : s_most_payloads <= kFeedChunkPayloads ? kFeedByInfo : kFeedScans;
    uint chunks = bounds == kBoundsBroken ? 0u : mode == kFeedByInfo ? infoCount : s_chunks;
    header.v[0].again = bounds;
    header.v[0].feedChunks = chunks;
    header.v[0].feedMode = mode;
    header.v[0].feedGroups = min(chunks, a.feedGroups);
    header.v[0].feedDone = 0u;
    Statuses(a.status).v[0].remaining = bounds;
}

// All invocations of the workgroup, behind mr_begin_header().
void mr_count_inputs(const BeginArguments a)
{
    uint own = gl_LocalInvocationIndex;
    DispatchCountInfo infos = DispatchCountInfo(a.inputCount, 0u, a.inputs, a.inputStride);
    if (a.inputCount == kCountOnDevice)
        infos = mr_read_count_info(a.inputs);
    if (own == 0u) {
        s_payloads = 0u;
        s_most_payloads = 0u;
        s_chunks = 0u;
        s_groups = 0u;
    }
    barrier();
    bool isCounted = infos.count <= kMostCountedInfos;
    if (isCounted)
        mr_count_payloads(a, infos);
    barrier();
    bool hasGrids = a.groupBound > 0u && s_chunks > 0u;
    bool isWithin = isCounted && s_payloads <= a.payloadBound;
    if (hasGrids && isWithin && s_payloads <= kMostCountedGrids)
        mr_count_groups(a, infos);
    barrier();
    if (own != 0u)
        return;
    if (!isWithin || (hasGrids && s_groups > a.groupBound))
        mr_say_bounds(a, infos.count, kBoundsBroken);
    else
        mr_say_bounds(a, infos.count, hasGrids && s_payloads > kMostCountedGrids ? kBoundsUnknown : kBoundsHold);
}

#endif

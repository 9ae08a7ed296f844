// SPDX-License-Identifier: Apache-2.0
// Turns the inputs of vkCmdDispatchGraph*AMDX into queued payloads: level 0 of the graph. A chunk is up to
// kFeedChunkPayloads payloads of one VkDispatchGraphInfoAMDX; chunks are numbered through all infos.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/dispatch_info.glsl"
#include "device/publish.glsl"

layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments { FeedArguments a; };

const uint kInfosPerBlock = 64u;  // one per invocation

shared uint s_firstChunk[kInfosPerBlock + 1u];  // of each info of the block, relative to the block
shared DispatchInfo s_infos[kInfosPerBlock];
shared uint64_t s_ticket;
shared uint s_location;

uint64_t g_nextChunk = uint64_t(gl_WorkGroupID.x);  // where everything fits
bool g_holds = false;                               // a reservation

// Loads the infos of a block and numbers their chunks. Returns how many chunks the block has.
uint loadBlock(const uint64_t infos, const uint64_t stride, const uint first, const uint count)
{
    uint own = gl_LocalInvocationIndex;
    barrier();
    uint chunks = 0u;
    if (first + own < count) {
        s_infos[own] = mr_read_info(infos + uint64_t(first + own) * stride);
        uint payloads = s_infos[own].payloadCount;
        chunks = payloads / kFeedChunkPayloads + (payloads % kFeedChunkPayloads > 0u ? 1u : 0u);
        if (payloads > kMaxApiPayloads)
            chunks = 1u;  // that nobody feeds, see feedPayloads()
    }
    s_firstChunk[own + 1u] = chunks;
    if (own == 0u)
        s_firstChunk[0] = 0u;
    barrier();
    for (uint reach = 1u; reach < kInfosPerBlock; reach *= 2u) {
        uint other = own + 1u > reach ? s_firstChunk[own + 1u - reach] : 0u;
        barrier();
        s_firstChunk[own + 1u] += other;
        barrier();
    }
    return s_firstChunk[kInfosPerBlock];
}

// The next chunk of this workgroup; ~0 if it must stop for want of memory.
uint64_t takeChunk()
{
    if ((a.flags & kFlagFits) != 0u) {
        uint64_t chunk = g_nextChunk;
        g_nextChunk += uint64_t(gl_NumWorkGroups.x);
        return chunk;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        LevelStates levels = LevelStates(MR_HEADER(a.graph).levelStates);
        // The worst chunk; what it does not use goes back.
        uint granules = MR_HEADER(a.graph).feedGranules;
        if (g_holds)
            mr_return_reservation(a.graph, 0u, uint64_t(granules - s_used),
                                  uint64_t(kFeedChunkPayloads - min(kFeedChunkPayloads, s_appended)));
        s_used = 0u;
        s_appended = 0u;
        s_ticket = ~uint64_t(0);
        if (mr_reserve(a.graph, 0u, granules, kFeedChunkPayloads, 1u) == 1u) {
            uint ticket = atomicAdd(MR_HEADER(a.graph).feedTicket, 1u);
            if (ticket < kMaxTicket)
                s_ticket = MR_HEADER(a.graph).feedCursor + uint64_t(ticket);
            else
                mr_return_reservation(a.graph, 0u, uint64_t(granules), uint64_t(kFeedChunkPayloads));
        }
    }
    barrier();
    g_holds = s_ticket != ~uint64_t(0);
    return s_ticket;
}

// When all inputs are numbered: the turn shader learns where the end is, and what was reserved for a chunk behind the
// last goes back.
void finish(const uint64_t total)
{
    if (gl_LocalInvocationIndex == 0u) {
        if (g_holds)
            mr_return_reservation(a.graph, 0u, uint64_t(MR_HEADER(a.graph).feedGranules), uint64_t(kFeedChunkPayloads));
        MR_HEADER(a.graph).feedTotal = total;
    }
}

// A chunk of the block was taken, so all that lies in front of the block is taken. Both grow from block to block.
void goOnFrom(const uint firstInfo, const uint64_t firstChunk)
{
    if (gl_LocalInvocationIndex == 0u && (a.flags & kFlagFits) == 0u) {
        atomicMax(MR_HEADER(a.graph).nextFirstInfo, firstInfo);
        atomicMax(MR_HEADER(a.graph).nextFirstChunk, uint(firstChunk - MR_HEADER(a.graph).feedFirstChunk));
    }
}

void feedPayloads(const DispatchInfo info, const uint first, const uint count)
{
    uint own = gl_LocalInvocationIndex;
    if (info.payloadCount > kMaxApiPayloads) {
        if (own == 0u)
            mr_note(kErrorApiPayloads, info.payloadCount, 1u);
        return;
    }
    bool known = info.nodeIndex < MR_HEADER(a.graph).apiNodeCount;
    uint queue = known ? Words(MR_HEADER(a.graph).apiNodes).v[info.nodeIndex] : kNoQueue;
    if (queue == kNoQueue) {
        if (own == 0u)
            mr_note(kErrorNodeIndex, info.nodeIndex, 1u);
        return;
    }
    barrier();
    if (own == 0u) {
        QueueInfo q = QueueInfos(MR_HEADER(a.graph).queues).v[queue];
        s_location = mr_take_granules(a.graph, 0u, mr_granules(q.stride, count), count);
        if (s_location != kNoLocation)
            mr_publish_run(MR_HEADER(a.graph).streamStates, q.indexedStream, s_location, count);
    }
    barrier();
    if (s_location == kNoLocation)
        return;

    QueueInfo q = QueueInfos(MR_HEADER(a.graph).queues).v[queue];
    uint64_t to = mr_address(a.graph, s_location);
    uint64_t from = info.payloads + uint64_t(first) * info.payloadStride;
    uint words = q.stride / 4u;
    for (uint i = own; i < words * count; i += gl_WorkGroupSize.x) {
        uint payload = i / words;
        uint offset = (i % words) * 4u;
        uint value = 0u;  // finish counters and padding
        if (offset < q.payloadBytes)
            value = mr_read_bytes(from + uint64_t(payload) * info.payloadStride + uint64_t(offset),
                              min(4u, q.payloadBytes - offset));
        Words(to + uint64_t(payload) * uint64_t(q.stride)).v[offset / 4u] = value;
    }
    if (q.dynamicCount > 0u) {
        memoryBarrierBuffer();
        barrier();
        for (uint s = 0u; s < q.dynamicCount; ++s)
            if (own < count)
                mr_publish_dynamic(a.graph, q.firstDynamic + s, to + uint64_t(own) * uint64_t(q.stride));
    }
}

// Its number among those of the block.
void feedChunkOfBlock(const uint number)
{
    uint low = 0u;
    uint high = kInfosPerBlock;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (s_firstChunk[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    uint begin = (number - s_firstChunk[low]) * kFeedChunkPayloads;
    DispatchInfo info = s_infos[low];
    feedPayloads(info, begin, min(kFeedChunkPayloads, info.payloadCount - begin));
}

shared bool s_isLast;
shared uint s_isBroken;

// Whether the payloads, whose grids are known now, are within the bound of workgroups. The last workgroup looks, for all.
void findBounds()
{
    uint own = gl_LocalInvocationIndex;
    memoryBarrierBuffer();
    barrier();
    if (own == 0u) {
        s_isLast = atomicAdd(MR_HEADER(a.graph).feedDone, 1u) + 1u == MR_HEADER(a.graph).feedGroups;
        s_isBroken = 0u;
    }
    barrier();
    if (!s_isLast)
        return;
    memoryBarrierBuffer();
    StreamStates states = StreamStates(MR_HEADER(a.graph).streamStates);
    uint streams = MR_HEADER(a.graph).streamCount;
    for (uint i = own; i < streams; i += gl_WorkGroupSize.x)
        if ((atomicAdd(states.v[i].counter, uint64_t(0)) & kUnitMask) > uint64_t(a.groupBound))
            atomicMax(s_isBroken, 1u);
    barrier();
    if (s_isBroken != 0u)
        for (uint i = own; i < streams; i += gl_WorkGroupSize.x)
            states.v[i].counter = uint64_t(0);
    if (own == 0u) {
        uint bounds = s_isBroken != 0u ? kBoundsBroken : kBoundsHold;
        MR_HEADER(a.graph).again = bounds;
        Statuses(MR_HEADER(a.graph).hostStatus).v[0].remaining = bounds;
    }
}

// Chunks whose payloads need no look at other infos. Requires: a.flags has kFlagFits.
void feedChunksByNumber(const DispatchCountInfo infos, const uint mode)
{
    uint chunks = MR_HEADER(a.graph).feedChunks;
    for (uint chunk = gl_WorkGroupID.x; chunk < chunks; chunk += gl_NumWorkGroups.x) {
        DispatchInfo info =
            mr_read_info(infos.infos + (mode == kFeedByInfo ? uint64_t(chunk) * infos.stride : uint64_t(0)));
        uint begin = mode == kFeedByInfo ? 0u : chunk * kFeedChunkPayloads;
        if (info.payloadCount > begin)
            feedPayloads(info, begin, min(kFeedChunkPayloads, info.payloadCount - begin));
    }
}

// Through all infos, in blocks, from where the sweep before has stopped.
void feedBlocks(const DispatchCountInfo infos)
{
    // Who has no memory left is done, but for one that numbers all inputs in the first sweep.
    bool numbersAll = gl_WorkGroupID.x == 0u && MR_HEADER(a.graph).status.sweeps == 0u;
    uint64_t chunk = takeChunk();
    uint64_t blockFirst = MR_HEADER(a.graph).feedFirstChunk;
    bool isNumbered = true;
    uint blocks = 0u;
    for (uint first = MR_HEADER(a.graph).feedFirstInfo; first < infos.count; first += kInfosPerBlock) {
        if (chunk == ~uint64_t(0) && !numbersAll) {
            isNumbered = false;
            break;
        }
        uint chunks = loadBlock(infos.infos, infos.stride, first, infos.count);
        ++blocks;
        if (chunk < blockFirst + uint64_t(chunks))
            goOnFrom(first, blockFirst);
        while (chunk < blockFirst + uint64_t(chunks)) {
            feedChunkOfBlock(uint(chunk - blockFirst));
            chunk = takeChunk();
        }
        blockFirst += uint64_t(chunks);
        if (first > 0xffffffffu - kInfosPerBlock)
            break;
    }
    if (isNumbered)
        finish(blockFirst);
    if (gl_LocalInvocationIndex == 0u && (a.flags & kFlagFits) == 0u)
        atomicAdd(MR_HEADER(a.graph).feedBlocks, blocks);
}

void main()
{
    if (MR_HEADER(a.graph).magic != kGraphMagic)
        return;
    bool isBounded = (a.flags & kFlagBounded) != 0u;
    if (isBounded && gl_WorkGroupID.x >= MR_HEADER(a.graph).feedGroups)
        return;
    uint bounds = isBounded ? MR_HEADER(a.graph).again : kBoundsHold;
    mr_begin_notes();
    barrier();
    DispatchCountInfo infos = DispatchCountInfo(a.count, 0u, a.infos, a.stride);
    if (a.countInfo != uint64_t(0))
        infos = mr_read_count_info(a.countInfo);
    uint mode = isBounded ? MR_HEADER(a.graph).feedMode : kFeedScans;
    if (mode == kFeedScans)
        feedBlocks(infos);
    else
        feedChunksByNumber(infos, mode);
    barrier();
    mr_report(a.graph, kNoQueue);
    if (MR_LONG_ATOMICS && bounds == kBoundsUnknown)
        findBounds();
}

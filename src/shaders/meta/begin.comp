// SPDX-License-Identifier: Apache-2.0
// First shader of a dispatch: resets all counters, lays out tables and regions as the host planned them, and puts there
// what the host has prepared of the feed.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_WRITES_SLOTS
#include "device/graph.glsl"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { BeginArguments a; };

MR_REFERENCE(LevelPlans, LevelPlan, 8);
MR_REFERENCE(StreamPlans, StreamPlan, 8);
MR_REFERENCE(SlotPlans, SlotPlan, 16);
MR_REFERENCE(Copies, Copy, 8);
MR_REFERENCE(Granules, uvec4, 16);

const uint kMostRoomGranules = 0x7fffffffu;
shared uint s_sums[gl_WorkGroupSize.x];

// Sum of `number` of the invocations up to this one. Numbers and sums stop at `most` < 2^31.
uint addUp(const uint number, const uint most)
{
    uint lane = gl_LocalInvocationIndex;
    s_sums[lane] = min(number, most);
    for (uint distance_ = 1u; distance_ < gl_WorkGroupSize.x; distance_ *= 2u) {
        barrier();
        uint other = lane >= distance_ ? s_sums[lane - distance_] : 0u;
        barrier();
        s_sums[lane] = min(s_sums[lane] + other, most);
    }
    barrier();
    return s_sums[lane];
}

// What a stream has received since the dispatch before began is what it is expected to receive again, and a quarter more.
// Whatever stands there where no dispatch was before, rooms are only as large as there is memory.
uint roomFor(const StreamPlan plan, const uint64_t counter)
{
    const uint64_t kMost = uint64_t(1) << 29;
    uint received = uint(min(counter & kUnitMask, kMost));
    return plan.roomStride == 0u || plan.counter != uint64_t(0) || received == 0u ? 0u : received + received / 4u + 64u;
}

// One workgroup for all streams.
void layOutRooms(StreamStates streams, const uint count)
{
    uint taken = 0u;
    for (uint first = 0u; first < count; first += gl_WorkGroupSize.x) {
        uint s = first + gl_LocalInvocationIndex;
        uint room = 0u;
        uint stride = 0u;
        if (s < count) {
            room = roomFor(StreamPlans(a.streamPlans).v[s], streams.v[s].counter);
            stride = StreamPlans(a.streamPlans).v[s].roomStride;
        }
        uint granules = uint(min((uint64_t(room) * uint64_t(stride) + uint64_t(kGranuleBytes - 1u)) >> 4,
                                 uint64_t(a.roomGranules) + uint64_t(1)));
        uint end = min(addUp(granules, kMostRoomGranules), kMostRoomGranules - taken) + taken;
        if (s < count) {
            streams.v[s].room = end <= a.roomGranules ? room : 0u;
            streams.v[s].roomLocation = a.roomBegin + end - granules;
        }
        taken = min(s_sums[gl_WorkGroupSize.x - 1u], kMostRoomGranules - taken) + taken;
        barrier();
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    GraphHeaders header = GraphHeaders(a.graph);
    // Memory of another graph, or of none: nothing behind it can be trusted. Without the magic number every later
    // shader of this dispatch does nothing; invocations that still see it find another graph's identity.
    if (header.v[0].magic != kGraphMagic || header.v[0].graph != a.graphId) {
        if (i == 0u) {
            header.v[0].magic = 0u;
            header.v[0].status = GraphStatus(0u, 0u, kErrorNotInitialized, kNoQueue, 0u, 1u, 0u, 0u);
            Statuses(a.status).v[0] = header.v[0].status;
        }
        return;
    }
    if (i == 0u) {
        header.v[0].feedCursor = uint64_t(0);
        header.v[0].feedTotal = a.isFed != 0u ? uint64_t(0) : ~uint64_t(0);
        header.v[0].feedCounted = 0u;
        header.v[0].hostStatus = a.status;
        header.v[0].status = GraphStatus(0u, 0u, kErrorNone, 0u, 0u, 0u, 0u, 0u);
    }
    SlotStates slots = SlotStates(header.v[0].slotStates);
    for (uint s = i; s < header.v[0].slotCount; s += step) {
        slots.v[s].cursor = uint64_t(0);
        slots.v[s].counted = uint64_t(0);
        SlotPlan plan = SlotPlans(a.slotPlans).v[s];
        SlotInfos infos = SlotInfos(header.v[0].slots);
        infos.v[s].base = plan.base;
        infos.v[s].onlyTable = plan.onlyTable;
        infos.v[s].onlyCapacity = plan.onlyCapacity;
        infos.v[s].leftRoom = plan.leftRoom;
    }
    StreamStates streams = StreamStates(header.v[0].streamStates);
    // Who lays out rooms looks at counters first.
    bool hasRooms = a.roomGranules > 0u;
    if (hasRooms && gl_WorkGroupID.x == 0u)
        layOutRooms(streams, header.v[0].streamCount);
    uint firstStream = !hasRooms ? i : gl_WorkGroupID.x == 0u ? gl_LocalInvocationIndex : ~0u;
    uint streamStep = hasRooms ? gl_WorkGroupSize.x : step;
    for (uint s = firstStream; s < header.v[0].streamCount; s += streamStep) {
        StreamPlan plan = StreamPlans(a.streamPlans).v[s];
        streams.v[s].closed = ~uint64_t(0);
        if (!hasRooms)
            streams.v[s].room = 0u;
        streams.v[s].counter = plan.counter;
        streams.v[s].firstLocation = plan.firstLocation;
        streams.v[s].table = mr_address(a.graph, plan.table);
        streams.v[s].capacity = plan.capacity;
    }
    LevelStates levels = LevelStates(header.v[0].levelStates);
    for (uint l = i; l < header.v[0].levelCount; l += step) {
        LevelPlan plan = LevelPlans(a.levelPlans).v[l];
        levels.v[l].reserved = uint64_t(0);
        levels.v[l].used = plan.used;
        levels.v[l].begin = plan.begin;
        levels.v[l].size = plan.size;
        levels.v[l].entryQuota = plan.entryQuota;
        levels.v[l].groups = plan.groups;
        levels.v[l].startUsed = plan.used;
        levels.v[l].startEntries = 0u;
    }
    for (uint c = 0u; c < a.copyCount; ++c) {
        Copy copy = Copies(a.copies).v[c];
        for (uint g = i; g < copy.granules; g += step)
            Granules(copy.to).v[g] = Granules(copy.from).v[g];
    }
}

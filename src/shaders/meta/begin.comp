// SPDX-License-Identifier: Apache-2.0
// First shader of a dispatch (device/begin_dispatch.glsl); it also gives streams their rooms.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/begin_dispatch.glsl"

layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments { BeginArguments a; };

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
    bool may = mr_may_begin(a);
    mr_begin_slots(a, may, i, step);
    if (a.roomGranules == 0u) {
        mr_begin_streams(a, may, i, step);
    } else if (may && gl_WorkGroupID.x == 0u) {
        // Who lays out rooms looks at counters first.
        layOutRooms(StreamStates(MR_HEADER(a.graph).streamStates), a.streamCount);
        mr_begin_streams(a, may, gl_LocalInvocationIndex, gl_WorkGroupSize.x);
    }
    mr_begin_levels(a, may, i, step);
    mr_begin_feed(a, may, i, step);
    mr_begin_header(a, may, i);
}

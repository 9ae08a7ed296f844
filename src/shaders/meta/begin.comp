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
        header.v[0].feedTotal = ~uint64_t(0);
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
    for (uint s = i; s < header.v[0].streamCount; s += step) {
        StreamPlan plan = StreamPlans(a.streamPlans).v[s];
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

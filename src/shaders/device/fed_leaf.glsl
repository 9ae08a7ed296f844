// SPDX-License-Identifier: Apache-2.0
// How leaves find their work where the device says what there is to do (docs/leaf-dispatches.md, "Inputs of the device"):
// each workgroup of ours reads all infos. What they ask of the node is numbered in workgroups of ours, of which each takes
// every n-th, where n of them were launched.
#ifndef MILLRACE_DEVICE_FED_LEAF_GLSL
#define MILLRACE_DEVICE_FED_LEAF_GLSL

#include "device/dispatch_info.glsl"

MR_READ_ONLY_REFERENCE(FedLeaves, FedLeaf, 8);

// abi::FedLeafArguments
DispatchCountInfo g_infos;
uint64_t g_memory;
uint g_node;
uint g_alignment;

uint g_next_info;
uint64_t g_next_payload;  // of the info, behind those that are numbered
uint g_payloads_left;     // from there on
uint g_errors;            // infos that are wrong

// What is numbered: not more of one info than fits in 32 bits.
uint64_t g_payloads;
uint64_t g_payload_stride;
bool g_is_copied;  // payloads are where the code does not expect them
uint g_units;
uint g_groups;  // workgroups of ours that they are
uint g_number;  // of these, the next one of this workgroup
uint g_turn;    // what is numbered next begins at this workgroup's turn

uint64_t g_stride;  // of the payloads as the code sees them
bool g_has_run;

FedLeaf mr_fed_leaf()
{
    return FedLeaves(g_memory - uint64_t(kFedLeafBytes)).v[0];
}

bool mr_tells()
{
    return gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex == 0u && mr_fed_leaf().status != uint64_t(0);
}

void mr_begin(const uvec4 a, const uvec4 b)
{
    g_infos = DispatchCountInfo(a.z, 0u, packUint2x32(a.xy), uint64_t(a.w));
    if (a.z == kCountOnDevice)
        g_infos = mr_read_count_info(packUint2x32(a.xy));
    g_memory = packUint2x32(b.xy);
    g_node = b.z & 0xffffu;
    g_alignment = b.z >> 16;
    g_remaining_and_index = b.w;
    g_next_info = 0u;
    g_payloads_left = 0u;
    g_errors = 0u;
    g_is_copied = false;
    g_groups = 0u;
    g_number = gl_WorkGroupID.x;
    g_has_run = false;
    if (mr_tells()) {
        Statuses status = Statuses(mr_fed_leaf().status);
        status.v[0].error = kErrorNone;
        status.v[0].errorCount = 0u;
    }
}

uint64_t mr_stride()
{
    return g_stride;
}

void mr_tell(const uint error, const uint value)
{
    Statuses status = Statuses(mr_fed_leaf().status);
    if (g_errors == 0u) {
        status.v[0].errorNode = kNoQueue;
        status.v[0].errorValue = value;
        status.v[0].error = error;
    }
    ++g_errors;
    status.v[0].errorCount = g_errors;
}

void mr_check_info(const DispatchInfo info)
{
    if (!mr_tells())
        return;
    FedLeaf leaf = mr_fed_leaf();
    if (info.payloadCount > kMaxApiPayloads)
        mr_tell(kErrorApiPayloads, info.payloadCount);
    else if (info.payloadCount > 0u &&
             (info.nodeIndex >= leaf.apiNodeCount || Words(leaf.apiNodes).v[info.nodeIndex] == 0u))
        mr_tell(kErrorNodeIndex, info.nodeIndex);
}

// The next info of the node; false if there is none.
bool mr_find_info()
{
    while (g_next_info < g_infos.count) {
        DispatchInfo info = mr_read_info(g_infos.infos + uint64_t(g_next_info) * g_infos.stride);
        ++g_next_info;
        mr_check_info(info);
        if (info.nodeIndex != g_node || info.payloadCount == 0u || info.payloadCount > kMaxApiPayloads)
            continue;
        g_payloads_left = info.payloadCount;
        g_next_payload = info.payloads;
        g_payload_stride = info.payloadStride;
        uint places = uint(info.payloads) | (info.payloadCount > 1u ? uint(info.payloadStride) : 0u);
        g_is_copied = (places & (g_alignment - 1u)) != 0u;
        return true;
    }
    return false;
}

// Turns to the payloads behind those that are numbered; false if there are none.
bool mr_number_payloads()
{
    const uint kMostUnits = 1u << 30;  // of twice as many numbers fit in 32 bits
    if (!g_is_copied)
        g_turn = g_number - g_groups;
    if (g_payloads_left == 0u && !mr_find_info())
        return false;
    uint units = MR_KIND == kKindCoalescing ? 1u : mr_units_per_payload();
    uint payloads = min(g_payloads_left, max(kMostUnits / units, 1u));
    g_payloads = g_next_payload;
    g_next_payload += uint64_t(payloads) * g_payload_stride;
    g_payloads_left -= payloads;
    g_units = payloads * units;
    g_groups = (g_units - 1u) / mr_units_per_group() + 1u;
    g_number = g_turn;
    if (g_is_copied)
        g_number = gl_WorkGroupID.x < mr_fed_leaf().copyCount ? gl_WorkGroupID.x : ~0u;
    return true;
}

// `count` payloads for this workgroup, and where they are then. The bytes between them are not read.
uint64_t mr_copy(const uint first, const uint count)
{
    FedLeaf leaf = mr_fed_leaf();
    uint64_t from = g_payloads + uint64_t(first) * g_payload_stride;
    uint64_t to = leaf.copies + uint64_t(gl_WorkGroupID.x) * uint64_t(leaf.copyBytes);
    uint words = leaf.payloadStride / 4u;
    barrier();  // nobody looks any more at what was here before
    for (uint i = gl_LocalInvocationIndex; i < words * count; i += MR_WORKGROUP_SIZE) {
        uint payload = i / words;
        uint offset = (i - payload * words) * 4u;
        if (offset < leaf.payloadBytes)
            Words(to).v[i] = mr_read_bytes(from + uint64_t(payload) * g_payload_stride + uint64_t(offset),
                                           min(4u, leaf.payloadBytes - offset));
    }
    memoryBarrierBuffer();
    barrier();
    g_stride = uint64_t(leaf.payloadStride);
    return to;
}

void mr_locate()
{
    uint units = MR_KIND == kKindCoalescing ? 1u : mr_units_per_payload();
    uint first = g_number * mr_units_per_group();
    uint last = min(first + mr_units_per_group(), g_units) - 1u;
    uint own = min(first + mr_place(), last);
    uint payload = own / units;
    if (MR_KIND == kKindCoalescing)
        g_input_count = last - first + 1u;
    else
        g_input_count = first + mr_place() <= last ? 1u : 0u;
    if (MR_KIND == kKindStatic)
        g_group_id = mr_group_id(own - payload * units, uvec2(MR_GRID_X, MR_GRID_Y));
    else
        g_group_id = uvec3(own - payload * units, 0u, 0u);
    if (g_is_copied) {
        uint before = first / units;
        g_payload = mr_copy(before, last / units - before + 1u) + uint64_t(payload - before) * uint64_t(g_stride);
    } else {
        g_stride = g_payload_stride;
        g_payload = g_payloads + uint64_t(payload) * g_stride;
    }
}

bool mr_next()
{
    // Nobody looks any more at what the workgroup before has in its memory.
    if (g_has_run && MR_KIND != kKindPacked && !MR_LOOSE)
        barrier();
    g_has_run = true;
    while (g_number >= g_groups)
        if (!mr_number_payloads())
            return false;
    mr_locate();
    g_number += g_is_copied ? mr_fed_leaf().copyCount : gl_NumWorkGroups.x;
    return true;
}

#endif

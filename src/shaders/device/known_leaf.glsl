// SPDX-License-Identifier: Apache-2.0
// How leaves find their work where the host has laid out what they receive: there are as many workgroups as work, and each
// knows its own by its number.
#ifndef MILLRACE_DEVICE_KNOWN_LEAF_GLSL
#define MILLRACE_DEVICE_KNOWN_LEAF_GLSL

// abi::LeafArguments
uint64_t g_payloads;
uint g_units;
uint g_stride;
uint64_t g_memory;
uint g_grid;

bool g_is_done;
uint g_number;  // of what the workgroup runs, in workgroups of ours

void mr_begin(const uvec4 a, const uvec4 b)
{
    g_payloads = packUint2x32(a.xy);
    g_units = a.z;
    g_stride = MR_INPUT_STRIDE > 0u ? MR_INPUT_STRIDE : a.w;
    g_memory = packUint2x32(b.xy);
    g_grid = b.z;
    g_remaining_and_index = b.w;
    g_is_done = false;
    g_number = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    g_payload = uint64_t(0);
    g_input_count = 1u;
    g_group_id = uvec3(0u);
}

uint64_t mr_stride()
{
    return uint64_t(g_stride);
}

uint64_t mr_payload(const uint i)
{
    return g_payloads + uint64_t(i) * mr_stride();
}

// The grid of a node that is not coalescing, in the dimensions that a workgroup can leave.
uvec2 mr_grid()
{
    return MR_KIND == kKindStatic ? uvec2(MR_GRID_X, MR_GRID_Y) : uvec2(g_grid & 0xffffu, g_grid >> 16);
}

void mr_locate_in_grid()
{
    uint depth = MR_KIND == kKindStatic ? MR_GRID_Z : ~0u;
    uint payload = gl_WorkGroupID.z / depth;
    g_payload = mr_payload(payload);
    g_group_id = uvec3(gl_WorkGroupID.x * mr_units_per_group() + mr_place(), gl_WorkGroupID.y,
                       gl_WorkGroupID.z - payload * depth);
    g_input_count = g_group_id.x < mr_grid().x ? 1u : 0u;
}

// False if the whole workgroup of ours is behind the end. Of those that share it, there the last one stays.
bool mr_locate_by_number()
{
    uint first = g_number * mr_units_per_group();
    uint unit = min(first + mr_place(), g_units - 1u);
    g_input_count = first + mr_place() < g_units ? 1u : 0u;
    if (MR_KIND == kKindStatic) {
        uint payload = unit / mr_units_per_payload();
        g_payload = mr_payload(payload);
        g_group_id = mr_group_id(unit - payload * mr_units_per_payload(), mr_grid());
    } else if (MR_KIND == kKindDynamic) {
        g_payload = g_payloads;
        g_group_id = mr_group_id(unit, mr_grid());
    } else {
        uint payload = unit / MR_PARTS;
        g_payload = mr_payload(payload);
        g_group_id.x = unit - payload * MR_PARTS;
        if (MR_KIND == kKindCoalescing)
            g_input_count = min(MR_INPUT_TABLE, g_units - first);
    }
    return first < g_units;
}

bool mr_next()
{
    const bool kHasGrid = MR_KIND == kKindStatic || MR_KIND == kKindDynamic;
    bool isNumbered = !kHasGrid || g_units > 0u;
    if (MR_KEEPS || MR_PARTS > 1u) {
        if (g_is_done) {
            // Nobody looks any more at what the workgroup before has kept.
            if (MR_KEEPS)
                barrier();
            g_number += gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        }
        g_is_done = true;
        return mr_locate_by_number();
    }
    if (g_is_done) {
        // Not reached by nodes that do not stride (runOnce).
        g_group_id.y += gl_NumWorkGroups.y;
        return !isNumbered && g_group_id.y < mr_grid().y;
    }
    g_is_done = true;
    if (isNumbered)
        return mr_locate_by_number();
    mr_locate_in_grid();
    return true;
}

// From `offset` bytes on.
uint64_t mr_workgroup_memory(const uint offset)
{
    return g_memory + uint64_t(gl_WorkGroupID.x) * uint64_t(MR_MEMORY_BYTES) + uint64_t(offset);
}

#endif

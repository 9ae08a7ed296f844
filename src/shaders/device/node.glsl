// SPDX-License-Identifier: Apache-2.0
// The functions that lowered node shaders call; docs/device-functions.md lists them.
// MR_FITS: for what is known to fit; else memory is reserved before work is taken.
// MR_PACKED: single-invocation nodes, where every invocation is a workgroup of its own and nothing may be collective.
// MR_DEPTH_FIRST: those among them that recurse depth first, which reserve.
#ifndef MILLRACE_DEVICE_NODE_GLSL
#define MILLRACE_DEVICE_NODE_GLSL

#include "device/count.glsl"
#include "device/fitting.glsl"
#include "device/locate.glsl"
#include "device/reserving.glsl"
#if defined(MR_DEPTH_FIRST)
#include "device/sharing.glsl"
#endif
#if defined(MR_FITS)
#include "device/begin_inside.glsl"
#endif

void mr_begin(const uvec4 a, const uvec4 b)
{
    g_graph = packUint2x32(a.xy);
    g_work = packUint2x32(b.zw);
    bool begins = false;
    uint64_t nothing = uint64_t(0);
#if defined(MR_FITS)
    begins = MR_BEGINS && (a.z & kFlagBegins) != 0u;
    if (begins)
        nothing = mr_begin_inside(g_graph, g_work);
#endif
    g_unit = Unit(0u);
    g_end = Unit(0u);
    g_payload = uint64_t(0);
    g_group_id = uvec3(0u);
    g_grid = uvec2(1u);
    g_group_count = 0u;
    g_run = 0u;
    g_input_count = 1u;
    g_counts_clear = false;
    g_slot = g_graph + uint64_t(a.z & ~kFlagMask) + nothing;
    g_initialized = MR_HEADER(g_graph).magic == kGraphMagic;
#if defined(MR_FITS)
    g_first_slot = g_slot;
    g_batch = g_initialized && !begins ? b.z : 1u;
    g_batch_step = b.w;
    g_batch_slot = 0u;
#endif
    mr_begin_emitting();
    mr_begin_chunks(g_slot, g_graph + uint64_t(a.w));
#if defined(MR_DEPTH_FIRST)
    mr_begin_depth_first();
#endif
}

// Whether a workgroup must not begin before all of the one before has ended, for the sake of shared memory. Where it may,
// parts of a subgroup can come to mr_seek() one after the other, which is right for whoever is there.
bool mr_shares_memory()
{
#if defined(MR_FITS)
    return MR_EMITS != kEmitsNothing || (MR_KIND != kKindPacked && !MR_LOOSE);
#else
    return true;
#endif
}

// Turns to the next workgroup of the payload, which follows. Without search and divisions.
void mr_step_group()
{
    --g_run;
    uvec2 grid = MR_KIND == kKindStatic ? uvec2(MR_GRID_X, MR_GRID_Y) : g_grid;
    ++g_group_id.x;
    if (g_group_id.x == grid.x) {
        g_group_id.x = 0u;
        ++g_group_id.y;
        if (g_group_id.y == grid.y) {
            g_group_id.y = 0u;
            ++g_group_id.z;
        }
    }
}

bool mr_next()
{
    if (mr_shares_memory() && g_end > Unit(0u))
        barrier();
    mr_count_finished();
    // Whether it returns here or where all do decides how many registers NVIDIA's code has: W5, whose grids come with the
    // payload, takes an H200 540 us if it does and 515 if not, W6, whose grid is a constant, 71 and 83.
    bool follows = mr_steps() && !MR_STEPS_INSIDE && g_run > 0u;
    if (MR_KIND == kKindStatic && follows) {
        mr_step_group();
        return true;
    }
    if (!follows && g_unit >= g_end) {
        if (MR_EMITS != kEmitsNothing && g_end > Unit(0u)) {
            mr_publish_chunk();
            mr_report(g_graph, MR_SLOT.name);
        }
        if (!mr_take_chunk())
            return false;
        g_group_count = 0u;
    }
#if defined(MR_DEPTH_FIRST)
    mr_locate_depth_first();
#else
#if defined(MR_PACKED)
    mr_locate_packed(g_unit);
#else
    if (follows)
        mr_step_group();
    else if (MR_KIND == kKindCoalescing)
        mr_locate_coalescing(g_unit);
    else if (MR_KIND == kKindDynamic)
        mr_locate_dynamic(g_unit);
    else
        mr_locate_static(g_unit);
#if defined(MR_FITS)
    if (MR_SENDS_ONCE && !follows)
        mr_locate_memory_of_payload();
#endif
#endif
    if (!follows)
        g_unit += Unit(mr_steps() ? g_run + 1u : mr_units_per_group());
#endif
    return true;
}

// Whether another workgroup of the payload follows, and turns to it. Only where mr_steps().
bool mr_step()
{
    if (g_run == 0u)
        return false;
    if (mr_shares_memory())
        barrier();
    mr_count_finished();
    mr_step_group();
    return true;
}

bool mr_active()
{
    return g_input_count > 0u;
}

uvec3 mr_workgroup_id()
{
    return g_group_id;
}

uint mr_input_count()
{
    return g_input_count;
}

uint mr_remaining_recursion()
{
#if defined(MR_DEPTH_FIRST)
    return g_remaining;
#else
    return MR_SLOT.remainingRecursion;
#endif
}

uint mr_shader_index()
{
    return MR_SLOT.shaderIndex;
}

uint64_t mr_input_element(const uint i)
{
#if !defined(MR_PACKED)
    if (MR_KIND == kKindCoalescing)
        return s_input[min(i, MR_INPUT_TABLE - 1u)];
#endif
    return g_payload;
}

#include "device/allocate.glsl"

#endif

// SPDX-License-Identifier: Apache-2.0
// How many workgroups a node has and how many of them run in one of ours.
#ifndef MILLRACE_DEVICE_SHAPE_GLSL
#define MILLRACE_DEVICE_SHAPE_GLSL

#include "abi/node_code.h"

bool mr_is_beside()
{
    return MR_LOOSE && MR_WORKGROUP_SIZE > MR_NODE_SIZE;
}

// Whether a workgroup of ours runs several units at a time that have memory of their own.
bool mr_are_units_beside()
{
    return MR_KIND == kKindPacked || mr_is_beside();
}

uint mr_units_per_payload()
{
    return MR_KIND == kKindStatic ? MR_GRID_X * MR_GRID_Y * MR_GRID_Z : MR_PARTS;
}

// Whether workgroups of one payload follow each other in one of ours (graph::stepsThroughGrid()).
bool mr_steps()
{
    return !mr_is_beside() && (MR_KIND == kKindDynamic || (MR_KIND == kKindStatic && mr_units_per_payload() > 1u));
}

#if defined(MR_DEPTH_FIRST)
// Invocations for each payload: all but the first take what that keeps (device/sharing.glsl).
uint g_apart;

uint mr_units_per_group()
{
    return MR_WORKGROUP_SIZE / g_apart;
}
#else
uint mr_units_per_group()
{
    return MR_KIND == kKindPacked       ? MR_WORKGROUP_SIZE
           : MR_KIND == kKindCoalescing ? MR_INPUT_TABLE
           : mr_is_beside()             ? MR_WORKGROUP_SIZE / MR_NODE_SIZE
                                        : 1u;
}
#endif

// The place in its grid of a workgroup.
uvec3 mr_group_id(const uint group, const uvec2 grid)
{
    uint row = group / grid.x;
    uint plane = row / grid.y;
    return uvec3(group - row * grid.x, row - plane * grid.y, plane);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// How many workgroups a node has and how many of them run in one of ours.
#ifndef MILLRACE_DEVICE_SHAPE_GLSL
#define MILLRACE_DEVICE_SHAPE_GLSL

#include "abi/graph_memory.h"

layout(constant_id = 2000) const uint MR_KIND = 0u;
layout(constant_id = 2001) const uint MR_WORKGROUP_SIZE = 64u;
layout(constant_id = 2002) const uint MR_INPUT_TABLE = 1u;
layout(constant_id = 2012) const uint MR_INPUT_STRIDE = 0u;  // of all payloads that it receives, 0 if they differ
layout(constant_id = 2031) const uint MR_INPUT_BESIDE = 1u;  // payloads of one sender that neighbours of ours take
layout(constant_id = 2032) const uint MR_PARTS = 1u;  // packed: invocations that have each payload
layout(constant_id = 2033) const uint MR_CHUNKS_PER_GROUP = 4u;  // that a workgroup of ours takes, if there is enough
layout(constant_id = 2013) const uint MR_GRID_X = 1u;        // static grid
layout(constant_id = 2014) const uint MR_GRID_Y = 1u;
layout(constant_id = 2015) const uint MR_GRID_Z = 1u;
// The node emits nothing and cannot tell which invocations share its workgroup, so that nothing has to be collective but
// the search for the first payload. Several of its workgroups may run side by side in one of ours.
layout(constant_id = 2016) const bool MR_LOOSE = false;
layout(constant_id = 2017) const uint MR_NODE_SIZE = 64u;  // invocations of one of them

bool mr_is_beside()
{
    return MR_LOOSE && MR_WORKGROUP_SIZE > MR_NODE_SIZE;
}

uint mr_units_per_payload()
{
    return MR_KIND == kKindStatic ? MR_GRID_X * MR_GRID_Y * MR_GRID_Z : MR_PARTS;
}

// The node's code calls mr_step() behind each workgroup (the pass stepThroughGrid), so that mr_next() need not.
layout(constant_id = 2035) const bool MR_STEPS_INSIDE = false;

// Whether workgroups of one payload follow each other in one of ours (graph::stepsThroughGrid()).
bool mr_steps()
{
    return !mr_is_beside() && (MR_KIND == kKindDynamic || (MR_KIND == kKindStatic && mr_units_per_payload() > 1u));
}

uint mr_units_per_group()
{
    return MR_KIND == kKindPacked       ? MR_WORKGROUP_SIZE
           : MR_KIND == kKindCoalescing ? MR_INPUT_TABLE
           : mr_is_beside()             ? MR_WORKGROUP_SIZE / MR_NODE_SIZE
                                        : 1u;
}

// The place in its grid of a workgroup.
uvec3 mr_group_id(const uint group, const uvec2 grid)
{
    uint row = group / grid.x;
    uint plane = row / grid.y;
    return uvec3(group - row * grid.x, row - plane * grid.y, plane);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Results of queries of which the layer counts some: an invocation for each query.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 64) in;

layout(push_constant, scalar) uniform Arguments { CopyQueriesArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Drivers { uvec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Sums { uvec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Results { uint v[]; };

// Of VkQueryPipelineStatisticFlagBits.
const uint kTasks = 11u;
const uint kMeshes = 12u;

// Returns where the next one goes.
uint write(const uint at, const uvec2 value)
{
    Results results = Results(a.results);
    results.v[at] = value.x;
    if (a.has64Bits == 0u)
        return at + 1u;
    results.v[at + 1u] = value.y;
    return at + 2u;
}

void main()
{
    uint query = gl_LocalInvocationIndex + gl_WorkGroupSize.x * (gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y);
    if (query >= a.count)
        return;
    Sums sums = Sums(a.sums + uint64_t(query) * uint64_t(24u));
    uint driver = query * a.driverValues;
    uvec2 availability = Drivers(a.drivers).v[driver + a.driverValues - 1u];
    uint values = a.statistics == 0u ? 1u : bitCount(a.statistics);
    uint words = 1u + a.has64Bits;
    uint at = query * words * (values + a.hasAvailability);
    if (a.hasAvailability != 0u)
        write(at + words * values, availability);
    if (availability.x == 0u && a.isPartial == 0u)
        return;
    if (a.statistics == 0u)
        write(at, sums.v[2]);
    for (uint left = a.statistics; left != 0u; left &= left - 1u) {
        uint bit = uint(findLSB(left));
        bool is_own = bit == kTasks || bit == kMeshes;
        at = write(at, is_own ? sums.v[bit - kTasks] : Drivers(a.drivers).v[driver]);
        driver += is_own ? 0u : 1u;
    }
}

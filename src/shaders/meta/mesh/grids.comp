// SPDX-License-Identifier: Apache-2.0
// One workgroup numbers the workgroups of several grids, and gives them memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128, local_size_x_id = 0) in;

const uint kEach = 8u;  // grids that an invocation looks at in one round

#include "meta/mesh/add_up.glsl"
#include "meta/mesh/numbering.glsl"

shared uint s_entries;  // the first unit of the entries

void main()
{
    bool is_first = gl_LocalInvocationIndex == 0u;
    if (isNumbered()) {
        if (is_first)
            runAgain();
        return;
    }
    Grids grids = findGrids();
    if (is_first)
        s_entries = takeEntries(grids);
    barrier();
    uint groups = writeEntries(grids, s_entries, 0u, grids.count, 0u);
    if (is_first)
        runAll(grids, s_entries, groups);
}

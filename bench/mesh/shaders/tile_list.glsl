// SPDX-License-Identifier: Apache-2.0
// A workgroup of 64 invocations lists the items of its tile, s_count of them.
#include "grass.glsl"
#include "tile.glsl"

shared uint s_count;
shared uint s_items[kTileItems];

void listItems()
{
    if (gl_LocalInvocationIndex == 0u)
        s_count = 0u;
    barrier();
    uint unit = gl_GlobalInvocationID.x;
    uint items = unit < frame.units ? itemsOf(unit) : 0u;
    uint at = items > 0u ? atomicAdd(s_count, items) : 0u;
    for (uint i = 0u; i < items; ++i)
        s_items[at + i] = itemOf(unit, i);
    barrier();
}

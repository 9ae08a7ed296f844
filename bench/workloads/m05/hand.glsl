// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"
// FIXED: workgroups of every payload. MAX: bound of what a payload may want. HANDS: payloads.
struct Hand {
#if defined(MILLRACE) && !defined(FIXED)
    dispatch_grid uint groups;
#endif
    uint first;  // workgroups of those before
    uint index;
};

uint resultOf(uint index, uint workgroup, uint lane)
{
    return index * 2654435761u + workgroup * 64 + lane;
}

// SPDX-License-Identifier: Apache-2.0
// Breadcrumbs: the host can see how many of a node's workgroups have finished, whatever became of the device.
#ifndef MILLRACE_DEVICE_COUNT_GLSL
#define MILLRACE_DEVICE_COUNT_GLSL

#include "device/state.glsl"

// The workgroup that was run last, if any, is finished in all its invocations.
void mr_count_finished()
{
    if (!MR_COUNTED || g_end == Unit(0u))
        return;
#if defined(MR_PACKED)
    if (g_input_count == 0u)
        return;
#else
    if (gl_LocalInvocationIndex != 0u)
        return;
#endif
    uint slot = uint(g_slot - MR_HEADER(g_graph).slots) / kSlotInfoBytes;
    atomicAdd(Words(MR_HEADER(g_graph).hostStatus + uint64_t(kGraphStatusBytes)).v[slot], 1u);
}

#endif

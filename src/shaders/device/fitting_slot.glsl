// SPDX-License-Identifier: Apache-2.0
// MR_FITS: what is known of a slot whose workgroups have their memory by their number.
#ifndef MILLRACE_DEVICE_FITTING_SLOT_GLSL
#define MILLRACE_DEVICE_FITTING_SLOT_GLSL

#include "device/state.glsl"

#if defined(MR_FITS)

uint g_base;  // SlotInfo::base

// Where everything goes, if the node emits to one queue (kEmitsToOne). Loaded with the slot, long before it is needed.
uint g_only_queue;
uint g_only_stride;
uint64_t g_only_table;  // of its indexed stream
uint g_only_capacity;

void mr_use_fitting_slot(const uint64_t slot, const uint64_t streamState)
{
    mr_use_slot(slot, streamState);
    g_base = MR_SLOT.base;
    if (MR_EMITS != kEmitsToOne)
        return;
    g_only_queue = MR_SLOT.onlyQueue;
    g_only_stride = MR_OUTPUT_STRIDE > 0u ? MR_OUTPUT_STRIDE : MR_SLOT.onlyStride;
    g_only_table = uint64_t(0);
    g_only_capacity = 0u;
    if (MR_SLOT.onlyStream != kNoStream) {
        StreamStates only = mr_stream_state(g_states, MR_SLOT.onlyStream);
        g_only_table = only.v[0].table;
        g_only_capacity = only.v[0].capacity;
    }
}

#endif

#endif

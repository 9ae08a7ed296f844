// SPDX-License-Identifier: Apache-2.0
// MR_FITS: what is known of a slot whose workgroups have their memory by their number.
#ifndef MILLRACE_DEVICE_FITTING_SLOT_GLSL
#define MILLRACE_DEVICE_FITTING_SLOT_GLSL

#include "device/state.glsl"

#if defined(MR_FITS)

shared uint s_base;        // SlotInfo::base
shared uint64_t s_areas;   // AreaInfo of the slot (kEmitsToFew),
shared uint s_area_count;  // so many

// Where everything goes, if the node emits to one queue (kEmitsToOne). Loaded with the slot, long before it is needed.
shared uint s_only_queue;
shared uint s_only_stride;
shared uint64_t s_only_state;  // StreamState of its indexed stream,
shared uint64_t s_only_table;  // entries
shared uint s_only_capacity;

void mr_use_fitting_slot(const uint64_t slot, const uint64_t streamState)
{
    mr_use_slot(slot, streamState);
    if (MR_EMITS == kEmitsNothing || gl_LocalInvocationIndex != 0u)
        return;
    s_base = MR_SLOT.base;
    if (MR_EMITS == kEmitsToFew) {
        s_areas = MR_HEADER(g_graph).areas + uint64_t(MR_SLOT.firstArea * kAreaInfoBytes);
        s_area_count = MR_SLOT.areaCount;
    }
    if (MR_EMITS != kEmitsToOne)
        return;
    s_only_queue = MR_SLOT.onlyQueue;
    s_only_stride = MR_OUTPUT_STRIDE > 0u ? MR_OUTPUT_STRIDE : MR_SLOT.onlyStride;
    s_only_state = MR_HEADER(g_graph).streamStates + uint64_t(MR_SLOT.onlyStream * kStreamStateBytes);
    s_only_table = mr_address(g_graph, MR_SLOT.onlyTable);
    s_only_capacity = MR_SLOT.onlyCapacity;
}

#endif

#endif

// SPDX-License-Identifier: Apache-2.0
// The one workgroup that is all of the first level begins the dispatch, which spares a dispatch of begin.comp and a barrier.
#ifndef MILLRACE_DEVICE_BEGIN_INSIDE_GLSL
#define MILLRACE_DEVICE_BEGIN_INSIDE_GLSL

#include "device/may_begin.glsl"

MR_READ_ONLY_REFERENCE(BeginLists, BeginList, 16);
MR_READ_ONLY_REFERENCE(BeginStores, BeginStore, 16);
MR_REFERENCE(LongWords, uint64_t, 8);

// Returns 0, which drivers do not know: they may move loads of what is read only to all others (SlotInfo) to the front of
// a barrier, unless their address comes from behind it.
uint64_t mr_begin_inside(const uint64_t graph, const uint64_t address)
{
    BeginList list = BeginLists(address).v[0];
    bool may = mr_may_begin(graph, list.graphId);
    BeginStores stores = BeginStores(address + uint64_t(kBeginListBytes));
    for (uint i = gl_LocalInvocationIndex; i < list.count; i += MR_WORKGROUP_SIZE) {
        uint64_t value = stores.v[i].value;
        if (may)
            LongWords(graph).v[stores.v[i].place] = value;
    }
    if (!may && gl_LocalInvocationIndex == 0u)
        mr_refuse_to_begin(graph, list.status);
    memoryBarrierBuffer();
    barrier();
    return may ? uint64_t(MR_HEADER(graph).feedCounted) : uint64_t(0);
}

#endif

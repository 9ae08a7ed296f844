// SPDX-License-Identifier: Apache-2.0
// How many workgroups a device runs at once (runtime/residency.h): arguments and result of probe.comp.
#ifndef MILLRACE_ABI_PROBE_H
#define MILLRACE_ABI_PROBE_H
#include "language.h"
MR_ABI_BEGIN

MR_CONST uint kProbeClosed = 0x80000000u;

// In device memory, zero at first.
struct ProbeState {
    uint arrivals;  // workgroups that have begun, and kProbeClosed once nobody waits for more
    uint resident;  // workgroups that had begun then; none of them had ended
};

struct ProbeArguments {
    uint64_t state;   // ProbeState
    uint quietPolls;  // looks in a row without an arrival after which nobody waits for more
    uint maxPolls;    // looks of one workgroup in all
    uint nothing;     // 0, which compilers must not know
    uint pad0;
};

MR_ABI_END
#endif

// SPDX-License-Identifier: Apache-2.0
// What the kernel that counts the sequences of generated commands is told, and what it counts (setting "trace").
#ifndef MILLRACE_ABI_TALLY_H
#define MILLRACE_ABI_TALLY_H
#include "language.h"
MR_ABI_BEGIN

// In front of uint[pipelineCount + 1]: sequences by the number of their pipeline, and behind those the sequences that
// mean none. All only grow, modulo 2^32. 8 bytes.
struct TallyCounters {
    uint executions;
    uint sequences;  // of all executions
};

struct TallyArguments {
    uint64_t stream;
    uint64_t sequenceCount;  // of a uint, or 0: there are maxSequenceCount
    uint64_t setParts;       // SortArguments::setParts
    uint64_t counters;       // TallyCounters and what is behind it
    uint stride;             // bytes of a record
    uint setOffset;  // of the index of the pipeline in a record, or kNoExecutionSet: nothing is counted by pipeline
    uint maxSequenceCount;
    uint pipelineCount;
    uint setStages;  // indices in a record, one behind the other
    uint setSize;    // that are less
};

MR_ABI_END
#endif

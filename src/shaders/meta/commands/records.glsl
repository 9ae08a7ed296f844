// SPDX-License-Identifier: Apache-2.0
// What all kernels that look at sequences share: where the record of one is, how many there are, and which pipeline one
// means. `a` are the kernel's arguments.

uint64_t recordOf(const uint sequence)
{
    return a.stream + uint64_t(sequence) * uint64_t(a.stride);
}

uint sequenceCount()
{
    return a.sequenceCount != uint64_t(0) ? min(a.maxSequenceCount, Words(a.sequenceCount).v[0]) : a.maxSequenceCount;
}

// The pipeline of a sequence, which may be none of the set.
uint pipelineOf(const uint64_t record)
{
    if (a.setOffset == kNoExecutionSet)
        return 0u;
    Words indices = Words(record + uint64_t(a.setOffset));
    if (a.setParts == uint64_t(0))
        return indices.v[0];
    uint pipeline = 0u;
    for (uint stage = 0u; stage < a.setStages; ++stage) {
        uint index = indices.v[stage];
        uint part = index < a.setSize ? Words(a.setParts).v[stage * a.setSize + index] : kNoMember;
        if (part == kNoMember)
            return kNoMember;
        pipeline += part;
    }
    return pipeline;
}

// SPDX-License-Identifier: Apache-2.0
// Pipelines by address. What streams say is looked up and never followed: it may be anything.
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Places { PipelinePlace v[]; };

// kNoMember for an address that none has.
uint numberOf(Places places, const uint count, const uint64_t address)
{
    uint low = 0u;
    for (uint high = count; low < high;) {
        uint middle = low + (high - low) / 2u;
        if (places.v[middle].address < address)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low < count && places.v[low].address == address)
        return places.v[low].number;
    return kNoMember;
}

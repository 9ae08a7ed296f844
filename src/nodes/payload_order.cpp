// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_order.h"

namespace millrace::nodes {

uint32_t payloadsBeside(const graph::CodeTraits& traits, const Target& target)
{
    constexpr uint32_t kLineBytes = 128;
    if (uint64_t{traits.inputTogether} * traits.inputStride <= target.orderedBytes)
        return 1;
    uint32_t beside = traits.inputTogether & (0 - traits.inputTogether);  // a power of two that divides it
    while (beside > 1 && uint64_t{target.minSubgroupSize / beside} * traits.inputStride < kLineBytes)
        beside /= 2;
    return beside;
}

}  // namespace millrace::nodes

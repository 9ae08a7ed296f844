// SPDX-License-Identifier: Apache-2.0
#include "layer/chain_copy.h"

#include <vulkan/utility/vk_safe_struct_utils.hpp>

namespace millrace::layer {

ChainCopy::ChainCopy(const void* chain) : m_chain(vku::SafePnextCopy(chain)) {}

ChainCopy::~ChainCopy()
{
    vku::FreePnextChain(m_chain);
}

void ChainCopy::remove(VkStructureType type)
{
    VkBaseOutStructure head{};
    head.pNext = static_cast<VkBaseOutStructure*>(m_chain);
    for (VkBaseOutStructure* item = &head; item->pNext;) {
        VkBaseOutStructure* next = item->pNext;
        if (next->sType != type) {
            item = next;
            continue;
        }
        item->pNext = next->pNext;
        next->pNext = nullptr;
        vku::FreePnextChain(next);
    }
    m_chain = head.pNext;
}

}  // namespace millrace::layer

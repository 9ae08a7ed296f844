// SPDX-License-Identifier: Apache-2.0
#include "layer/chains/chain_copy.h"

#include <vulkan/utility/vk_safe_struct_utils.hpp>

namespace millrace::layer {

// Of structures that may be in a chain that is kept, one leads to untyped data.
UntypedData copyUntypedData(const void* copiedChain)
{
    UntypedData data;
    auto* boundary =
        findInChain<VkFrameBoundaryEXT>(const_cast<void*>(copiedChain), VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT);
    if (boundary && boundary->pTag) {
        const auto* tag = static_cast<const std::byte*>(boundary->pTag);
        boundary->pTag = data.emplace_back(tag, tag + boundary->tagSize).data();
    }
    return data;
}

ChainCopy::ChainCopy(const void* chain) : m_chain(vku::SafePnextCopy(chain))
{
    try {
        m_data = copyUntypedData(m_chain);
    } catch (...) {
        vku::FreePnextChain(m_chain);
        throw;
    }
}

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

void ChainCopy::takeOthers(ChainCopy other)
{
    VkBaseOutStructure head{};
    head.pNext = static_cast<VkBaseOutStructure*>(m_chain);
    VkBaseOutStructure* last = &head;
    while (last->pNext)
        last = last->pNext;
    for (auto* item = static_cast<VkBaseOutStructure*>(std::exchange(other.m_chain, nullptr)); item;) {
        VkBaseOutStructure* const next = std::exchange(item->pNext, nullptr);
        if (findInChain<VkBaseOutStructure>(head.pNext, item->sType)) {
            vku::FreePnextChain(item);
        } else {
            last->pNext = item;
            last = item;
        }
        item = next;
    }
    m_chain = head.pNext;
    for (std::vector<std::byte>& data : other.m_data)
        m_data.push_back(std::move(data));
}

}  // namespace millrace::layer

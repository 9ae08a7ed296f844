// SPDX-License-Identifier: Apache-2.0
// Reading and patching pNext chains.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::layer {

template <typename Struct>
const Struct* findInChain(const void* chain, VkStructureType type)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        if (item->sType == type)
            return reinterpret_cast<const Struct*>(item);
    return nullptr;
}

template <typename Struct>
Struct* findInChain(void* chain, VkStructureType type)
{
    return const_cast<Struct*>(findInChain<Struct>(static_cast<const void*>(chain), type));
}

// Takes structures that the driver must not see out of a chain of output structures, which the application lets us
// write to, and puts them back in the end. `head` is the structure that starts the chain and stays.
class Unlinked {
public:
    Unlinked(void* head, const std::vector<VkStructureType>& types)
    {
        for (auto* item = static_cast<VkBaseOutStructure*>(head); item->pNext;) {
            if (std::find(types.begin(), types.end(), item->pNext->sType) != types.end()) {
                m_links.push_back({item, item->pNext});
                item->pNext = item->pNext->pNext;
            } else {
                item = item->pNext;
            }
        }
    }
    ~Unlinked()
    {
        for (auto link = m_links.rbegin(); link != m_links.rend(); ++link)
            link->first->pNext = link->second;
    }
    Unlinked(const Unlinked&) = delete;
    Unlinked& operator=(const Unlinked&) = delete;

private:
    std::vector<std::pair<VkBaseOutStructure*, VkBaseOutStructure*>> m_links;  // predecessor, structure
};

}  // namespace millrace::layer

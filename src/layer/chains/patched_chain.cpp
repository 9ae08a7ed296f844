// SPDX-License-Identifier: Apache-2.0
#include "layer/chains/patched_chain.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/system.h"

namespace millrace::layer {

namespace {

// No structure of Vulkan's is larger: the largest known have about a kilobyte.
constexpr size_t kMostBytes = 4096;

// As much of a structure as there may be. What lies behind it may be unmapped, which the system notices and we must
// not. Null if the system does not copy for us.
std::unique_ptr<std::byte[]> copyBlindly(const void* structure)
{
    auto copy = std::make_unique<std::byte[]>(kMostBytes);
    return copyReadable(copy.get(), structure, kMostBytes) > 0 ? std::move(copy) : nullptr;
}

}  // namespace

PatchedChain::PatchedChain(const void* chain)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        m_items.push_back({item, nullptr});
}

const PatchedChain::Item* PatchedChain::findItem(VkStructureType type) const
{
    const auto found = std::find_if(m_items.begin(), m_items.end(),
                                    [=](const Item& item) { return !item.isLeftOut && item.type() == type; });
    return found == m_items.end() ? nullptr : &*found;
}

void* PatchedChain::changeItem(VkStructureType type, size_t bytes)
{
    auto* item = const_cast<Item*>(findItem(type));
    if (!item)
        return nullptr;
    if (!item->copy) {
        item->copy = std::make_unique<std::byte[]>(bytes);
        std::memcpy(item->copy.get(), item->original, bytes);
    }
    return item->copy.get();
}

// In front of all others, which then can stay where they are.
void* PatchedChain::addItem(VkStructureType type, size_t bytes)
{
    Item item{nullptr, std::make_unique<std::byte[]>(bytes)};
    reinterpret_cast<VkBaseOutStructure*>(item.copy.get())->sType = type;
    void* added = item.copy.get();
    m_items.insert(m_items.begin(), std::move(item));
    return added;
}

void PatchedChain::remove(VkStructureType type)
{
    if (auto* item = const_cast<Item*>(findItem(type)))
        item->isLeftOut = true;
}

void PatchedChain::keepOnly(std::span<const VkStructureType> types)
{
    for (Item& item : m_items)
        item.isLeftOut = item.isLeftOut || std::find(types.begin(), types.end(), item.type()) == types.end();
}

const void* PatchedChain::get(const void* behind)
{
    const auto lastChanged = std::find_if(m_items.rbegin(), m_items.rend(),
                                          [=](const Item& item) { return behind || item.isLeftOut || item.copy; });
    const auto tail = lastChanged.base();
    const VkBaseInStructure* next =
        tail == m_items.end() ? static_cast<const VkBaseInStructure*>(behind) : tail->original;
    for (auto item = std::make_reverse_iterator(tail); item != m_items.rend(); ++item) {
        if (item->isLeftOut)
            continue;
        if (!item->copy)
            item->copy = copyBlindly(item->original);
        if (!item->copy) {
            item->isLeftOut = true;
            m_lost.push_back(item->original->sType);
            continue;
        }
        auto* structure = reinterpret_cast<VkBaseInStructure*>(item->copy.get());
        structure->pNext = next;
        next = structure;
    }
    return next;
}

}  // namespace millrace::layer

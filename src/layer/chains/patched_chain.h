// SPDX-License-Identifier: Apache-2.0
// A pNext chain of the application's as the driver may see it: some structures left out, changed or added.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace millrace::layer {

// For the time of a call. The application's structures are not written to, since they may be constants, or in use on
// several threads. Those behind the last one to change stay where they are. Those in front of it are copied byte by
// byte, known or not: a structure of an extension that is newer than the headers does not say how large it is, so what
// lies behind it in memory, and belongs to no one here, is copied as well. Pointers inside stay the application's.
class PatchedChain {
public:
    explicit PatchedChain(const void* chain);

    template <typename Struct>
    const Struct* find(VkStructureType type) const
    {
        const Item* item = findItem(type);
        return item ? static_cast<const Struct*>(item->now()) : nullptr;
    }
    // A copy that may be changed, null if there is none of this type.
    template <typename Struct>
    Struct* change(VkStructureType type)
    {
        return static_cast<Struct*>(changeItem(type, sizeof(Struct)));
    }
    // Of a type that the chain does not have.
    template <typename Struct>
    Struct* add(VkStructureType type)
    {
        auto* added = static_cast<Struct*>(addItem(type, sizeof(Struct)));
        return added;
    }
    void remove(VkStructureType type);
    // All others.
    void keepOnly(std::span<const VkStructureType> types);

    // Valid until the next change, and as long as this object and the application's chain are. `behind`: a chain that
    // comes behind this one.
    const void* get(const void* behind = nullptr);
    // Structures that had to be left out, since the system did not let us copy them.
    const std::vector<VkStructureType>& lost() const { return m_lost; }

private:
    struct Item {
        const VkBaseInStructure* original;  // null if it was added
        std::unique_ptr<std::byte[]> copy;
        bool isLeftOut = false;

        const void* now() const { return copy ? static_cast<const void*>(copy.get()) : original; }
        VkStructureType type() const { return static_cast<const VkBaseInStructure*>(now())->sType; }
    };

    const Item* findItem(VkStructureType type) const;
    void* changeItem(VkStructureType type, size_t bytes);
    void* addItem(VkStructureType type, size_t bytes);

    std::vector<Item> m_items;
    std::vector<VkStructureType> m_lost;
};

}  // namespace millrace::layer

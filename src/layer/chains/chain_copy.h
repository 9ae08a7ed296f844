// SPDX-License-Identifier: Apache-2.0
// A deep copy of a pNext chain that may be changed before the driver sees it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <vector>

#include "layer/chains/chain.h"

namespace millrace::layer {

// Untyped data that structures of SafeStruct's lead to is the application's: the copy gets some of its own, which lives
// as long as what is returned.
using UntypedData = std::vector<std::vector<std::byte>>;
UntypedData copyUntypedData(const void* copiedChain);

class ChainCopy {
public:
    ChainCopy() = default;
    explicit ChainCopy(const void* chain);
    ~ChainCopy();
    ChainCopy(ChainCopy&& other) noexcept
        : m_chain(std::exchange(other.m_chain, nullptr)), m_data(std::move(other.m_data))
    {
    }
    ChainCopy& operator=(ChainCopy&& other) noexcept
    {
        std::swap(m_chain, other.m_chain);
        std::swap(m_data, other.m_data);
        return *this;
    }

    template <typename Struct>
    Struct* find(VkStructureType type)
    {
        return findInChain<Struct>(m_chain, type);
    }
    void remove(VkStructureType type);
    // The structures whose types this one does not have; the others are gone.
    void takeOthers(ChainCopy other);
    const void* get() const { return m_chain; }

private:
    void* m_chain = nullptr;
    UntypedData m_data;
};

}  // namespace millrace::layer

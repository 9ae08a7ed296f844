// SPDX-License-Identifier: Apache-2.0
// A deep copy of a pNext chain that may be changed before the driver sees it.
#pragma once

#include <vulkan/vulkan.h>

#include "layer/chain.h"

namespace millrace::layer {

class ChainCopy {
public:
    ChainCopy() = default;
    explicit ChainCopy(const void* chain);
    ~ChainCopy();
    ChainCopy(ChainCopy&& other) noexcept : m_chain(std::exchange(other.m_chain, nullptr)) {}
    ChainCopy& operator=(ChainCopy&& other) noexcept
    {
        std::swap(m_chain, other.m_chain);
        return *this;
    }

    template <typename Struct>
    Struct* find(VkStructureType type)
    {
        return findInChain<Struct>(m_chain, type);
    }
    void remove(VkStructureType type);
    const void* get() const { return m_chain; }

private:
    void* m_chain = nullptr;
};

}  // namespace millrace::layer

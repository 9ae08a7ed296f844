// SPDX-License-Identifier: Apache-2.0
// Buffer usage that the driver does not know.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "layer/chains/chain.h"
#include "layer/chains/patched_chain.h"

namespace millrace::layer {

struct Device;

// Scratch memory is plain storage that shaders reach by address.
template <typename Flags>
Flags driverBufferUsage(Flags usage)
{
    constexpr Flags kScratch = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
    if (!(usage & kScratch))
        return usage;
    return (usage & ~kScratch) | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
}

// A structure with `usage` and, in its chain, perhaps VkBufferUsageFlags2CreateInfo, as the driver may see it.
template <typename Struct>
class DriverBufferUsage {
public:
    // `foldFlags2`: the driver does not know VkBufferUsageFlags2CreateInfo.
    DriverBufferUsage(const Struct& original, bool foldFlags2) : m_patched(original), m_chain(original.pNext)
    {
        constexpr VkStructureType kType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
        m_patched.usage = driverBufferUsage(original.usage);
        const auto* flags2 = m_chain.find<VkBufferUsageFlags2CreateInfo>(kType);
        if (!flags2)
            return;
        const VkBufferUsageFlags2 usage = driverBufferUsage(flags2->usage);
        if (usage == flags2->usage && !foldFlags2)
            return;
        if (foldFlags2) {
            m_patched.usage = static_cast<VkBufferUsageFlags>(usage);
            m_chain.remove(kType);
        } else {
            m_chain.change<VkBufferUsageFlags2CreateInfo>(kType)->usage = usage;
        }
        m_patched.pNext = const_cast<void*>(m_chain.get());
    }

    DriverBufferUsage(const DriverBufferUsage&) = delete;
    DriverBufferUsage& operator=(const DriverBufferUsage&) = delete;

    const Struct* get() const { return &m_patched; }
    const std::vector<VkStructureType>& lost() const { return m_chain.lost(); }

private:
    Struct m_patched;
    PatchedChain m_chain;
};

}  // namespace millrace::layer

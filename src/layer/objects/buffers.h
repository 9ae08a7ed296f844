// SPDX-License-Identifier: Apache-2.0
// Buffer usage that the driver does not know.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "layer/chains/chain.h"
#include "layer/chains/patched_chain.h"

namespace millrace::layer {

struct Device;

// What the driver does not know.
struct UsageRules {
    bool foldFlags2 = false;       // VkBufferUsageFlags2CreateInfo
    bool hidesPreprocess = false;  // VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT, of generated commands
    bool copiesIndirect = false;   // the layer copies indirect commands
    bool readsIndirect = false;    // kernels of the layer's read and write them by address
    bool copiesResults = false;    // the layer reads where results of queries are copied to
};
UsageRules usageRules(const Device& device);

// Scratch memory is plain storage that shaders reach by address. So is memory for preprocessing, and what shaders write
// there is read as indirect arguments.
template <typename Flags>
Flags driverBufferUsage(Flags usage, UsageRules rules)
{
    constexpr Flags kScratch = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
    constexpr auto kPreprocess = static_cast<Flags>(VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT);
    constexpr Flags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (usage & kScratch)
        usage = (usage & ~kScratch) | kStorage;
    if (rules.hidesPreprocess && (usage & kPreprocess))
        usage = (usage & ~kPreprocess) | kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    // Shaders of generated draws may fetch attributes themselves, also of buffers that are bound.
    if (rules.hidesPreprocess && (usage & VK_BUFFER_USAGE_VERTEX_BUFFER_BIT))
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (rules.readsIndirect && (usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (rules.copiesIndirect && (usage & VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT))
        usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    if (rules.copiesResults && (usage & VK_BUFFER_USAGE_TRANSFER_DST_BIT))
        usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    return usage;
}

// A structure with `usage` and, in its chain, perhaps VkBufferUsageFlags2CreateInfo, as the driver may see it.
template <typename Struct>
class DriverBufferUsage {
public:
    DriverBufferUsage(const Struct& original, UsageRules rules) : m_patched(original), m_chain(original.pNext)
    {
        constexpr VkStructureType kType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
        m_patched.usage = driverBufferUsage(original.usage, rules);
        const auto* flags2 = m_chain.find<VkBufferUsageFlags2CreateInfo>(kType);
        m_usage = m_patched.usage;
        if (!flags2)
            return;
        const VkBufferUsageFlags2 usage = m_usage = driverBufferUsage(flags2->usage, rules);
        if (usage == flags2->usage && !rules.foldFlags2)
            return;
        if (rules.foldFlags2) {
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
    VkBufferUsageFlags2 usage() const { return m_usage; }
    const std::vector<VkStructureType>& lost() const { return m_chain.lost(); }

private:
    Struct m_patched;
    VkBufferUsageFlags2 m_usage = 0;
    PatchedChain m_chain;
};

}  // namespace millrace::layer

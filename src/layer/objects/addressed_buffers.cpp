// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/addressed_buffers.h"

#include <algorithm>

#include "layer/chains/chain.h"

namespace millrace::layer {

void AddressedBuffers::created(VkBuffer buffer, const VkBufferCreateInfo& createInfo, VkBufferUsageFlags2 driverUsage)
{
    const auto* flags2 = findInChain<VkBufferUsageFlags2CreateInfo>(createInfo.pNext,
                                                                    VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO);
    std::lock_guard lock(m_mutex);
    m_largest = std::max(m_largest, createInfo.size);
    m_buffers[buffer] = {createInfo.size, (flags2 ? flags2->usage : createInfo.usage) | driverUsage, 0};
}

void AddressedBuffers::addressed(VkBuffer buffer, VkDeviceAddress address)
{
    std::lock_guard lock(m_mutex);
    auto found = m_buffers.find(buffer);
    if (found == m_buffers.end() || found->second.address == address)
        return;
    m_byAddress.emplace(address, buffer);
    found->second.address = address;
    ++m_version;
}

void AddressedBuffers::destroyed(VkBuffer buffer)
{
    std::lock_guard lock(m_mutex);
    auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return;
    const auto [first, last] = m_byAddress.equal_range(found->second.address);
    for (auto at = first; at != last; ++at)
        if (at->second == buffer) {
            m_byAddress.erase(at);
            break;
        }
    m_buffers.erase(found);
    ++m_version;
}

VkDeviceSize AddressedBuffers::sizeOf(VkBuffer buffer) const
{
    std::lock_guard lock(m_mutex);
    const auto found = m_buffers.find(buffer);
    return found == m_buffers.end() ? 0 : found->second.size;
}

std::vector<AddressedBuffers::Reach> AddressedBuffers::reaches(VkBufferUsageFlags2 usage) const
{
    std::vector<Reach> reaches;
    VkDeviceAddress end = 0;
    std::lock_guard lock(m_mutex);
    for (const auto& [address, handle] : m_byAddress) {
        const Buffer& buffer = m_buffers.at(handle);
        if ((buffer.usage & usage) != usage || address == 0)
            continue;
        end = std::max(end, address + buffer.size);
        reaches.push_back({address, end});
    }
    return reaches;
}

std::optional<AddressedBuffers::Range> AddressedBuffers::find(VkDeviceAddress address) const
{
    return find(address, 1, 0);
}

std::optional<AddressedBuffers::Range> AddressedBuffers::find(VkDeviceAddress address, VkDeviceSize bytes,
                                                              VkBufferUsageFlags2 usage) const
{
    std::lock_guard lock(m_mutex);
    for (auto at = m_byAddress.upper_bound(address); at != m_byAddress.begin();) {
        --at;
        const VkDeviceSize offset = address - at->first;
        if (offset >= m_largest)
            break;
        const Buffer& buffer = m_buffers.at(at->second);
        if (offset < buffer.size && buffer.size - offset >= bytes && (buffer.usage & usage) == usage)
            return Range{at->second, offset, buffer.size - offset, buffer.usage};
    }
    return std::nullopt;
}

}  // namespace millrace::layer

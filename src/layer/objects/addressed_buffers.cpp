// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/addressed_buffers.h"

#include "layer/chains/chain.h"

namespace millrace::layer {

void AddressedBuffers::created(VkBuffer buffer, const VkBufferCreateInfo& createInfo)
{
    const auto* flags2 = findInChain<VkBufferUsageFlags2CreateInfo>(createInfo.pNext,
                                                                    VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO);
    std::lock_guard lock(m_mutex);
    m_buffers[buffer] = {createInfo.size, flags2 ? flags2->usage : createInfo.usage, 0};
}

void AddressedBuffers::addressed(VkBuffer buffer, VkDeviceAddress address)
{
    std::lock_guard lock(m_mutex);
    auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return;
    found->second.address = address;
    m_byAddress[address] = buffer;
}

void AddressedBuffers::destroyed(VkBuffer buffer)
{
    std::lock_guard lock(m_mutex);
    auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return;
    auto at = m_byAddress.find(found->second.address);
    if (at != m_byAddress.end() && at->second == buffer)
        m_byAddress.erase(at);
    m_buffers.erase(found);
}

std::optional<AddressedBuffers::Range> AddressedBuffers::find(VkDeviceAddress address) const
{
    std::lock_guard lock(m_mutex);
    auto behind = m_byAddress.upper_bound(address);
    if (behind == m_byAddress.begin())
        return std::nullopt;
    const Buffer& buffer = m_buffers.at(std::prev(behind)->second);
    const VkDeviceSize offset = address - buffer.address;
    if (offset >= buffer.size)
        return std::nullopt;
    return Range{buffer.size - offset, buffer.usage};
}

}  // namespace millrace::layer

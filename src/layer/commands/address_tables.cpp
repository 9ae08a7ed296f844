// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/address_tables.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "abi/token_checks.h"

namespace millrace::layer {

namespace {

constexpr std::array<VkBufferUsageFlags2, abi::kAddressUsages> kUsages = {
    VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT};
static_assert(abi::kAddressVertex == 0 && abi::kAddressIndex == 1 && abi::kAddressIndirect == 2);

}  // namespace

VkBufferUsageFlags2 usageOf(uint32_t addressUsage)
{
    return kUsages.at(addressUsage);
}

VkResult AddressTables::create(runtime::Memory& memory)
{
    constexpr size_t kAtFirst = 1024;
    const VkResult result = memory.createBuffer(runtime::BufferUse::Upload, sizeof(uint64_t), m_place);
    return result == VK_SUCCESS ? reserve(memory, kAtFirst) : result;
}

// Room for so many. It doubles, so that all tables together have at most twice the last one's.
VkResult AddressTables::reserve(runtime::Memory& memory, size_t ranges)
{
    const size_t capacity = std::max(ranges, 2 * m_capacity);
    runtime::Buffer table;
    const VkResult result = memory.createBuffer(
        runtime::BufferUse::Upload, sizeof(abi::AddressTable) + capacity * sizeof(abi::AddressRange), table);
    if (result != VK_SUCCESS)
        return result;
    std::memset(table.data(), 0, sizeof(abi::AddressTable));
    m_tables.reserve(m_tables.size() + 1);
    m_tables.push_back(std::move(table));
    m_capacity = capacity;
    const uint64_t address = m_tables.back().address();
    std::memcpy(m_place.data(), &address, sizeof address);
    return VK_SUCCESS;
}

void AddressTables::refresh(runtime::Memory& memory, const AddressedBuffers& buffers)
{
    const std::lock_guard lock(m_mutex);
    const uint64_t version = buffers.version();
    if (version == m_version)
        return;
    abi::AddressTable head{};
    std::vector<abi::AddressRange> ranges;
    for (uint32_t usage = 0; usage < abi::kAddressUsages; ++usage) {
        for (const AddressedBuffers::Reach& reach : buffers.reaches(usageOf(usage)))
            ranges.push_back({reach.begin, reach.end});
        head.first[usage + 1] = static_cast<uint32_t>(ranges.size());
    }
    if (ranges.size() > m_capacity && reserve(memory, ranges.size()) != VK_SUCCESS)
        return;
    std::byte* const table = m_tables.back().data();
    std::memcpy(table + sizeof head, ranges.data(), ranges.size() * sizeof(abi::AddressRange));
    std::memcpy(table, &head, sizeof head);
    m_version = version;
}

}  // namespace millrace::layer

// SPDX-License-Identifier: Apache-2.0
#include "harness/kept_memory.h"

#include <algorithm>
#include <bit>

#include "harness/device.h"

namespace millrace::harness {

namespace {

constexpr VkDeviceSize kLeast = 64 << 10;
constexpr VkDeviceSize kMost = 256 << 20;  // scratch memory at its default limit; larger memory is that of few

// Sizes are powers of two, so that few are kept that nobody wants.
VkDeviceSize sizeFor(VkDeviceSize bytes)
{
    return bytes > kMost ? bytes : std::bit_ceil(std::max(bytes, kLeast));
}

}  // namespace

Memory KeptMemory::take(VkDevice device, uint32_t type, VkDeviceSize bytes, bool isMapped)
{
    Memory memory{VK_NULL_HANDLE, sizeFor(bytes), type, nullptr};
    std::vector<Memory>& kept = m_kept[{type, memory.size, isMapped}];
    if (!kept.empty()) {
        memory = kept.back();
        kept.pop_back();
        return memory;
    }
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    allocate.allocationSize = memory.size;
    allocate.memoryTypeIndex = type;
    check(vkAllocateMemory(device, &allocate, nullptr, &memory.handle), "vkAllocateMemory");
    if (isMapped)
        check(vkMapMemory(device, memory.handle, 0, VK_WHOLE_SIZE, 0, &memory.mapped), "vkMapMemory");
    return memory;
}

void KeptMemory::giveBack(VkDevice device, const Memory& memory)
{
    if (memory.size > kMost)
        vkFreeMemory(device, memory.handle, nullptr);
    else if (memory.handle)
        m_kept[{memory.type, memory.size, memory.mapped != nullptr}].push_back(memory);
}

void KeptMemory::free(VkDevice device)
{
    for (const auto& [key, kept] : m_kept)
        for (const Memory& memory : kept)
            vkFreeMemory(device, memory.handle, nullptr);
    m_kept.clear();
}

}  // namespace millrace::harness

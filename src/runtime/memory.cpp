// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"

#include <utility>
#include <vector>

#include "runtime/host_memory.h"
#include "runtime/vma_functions.h"

namespace millrace::runtime {

struct Memory::Callbacks {
    static void VKAPI_PTR allocated(VmaAllocator, uint32_t, VkDeviceMemory memory, VkDeviceSize, void* user)
    {
        try {
            static_cast<Memory*>(user)->m_new.push_back(memory);
        } catch (...) {
            // It gets no name.
        }
    }
    static void VKAPI_PTR freed(VmaAllocator, uint32_t, VkDeviceMemory memory, VkDeviceSize, void* user)
    {
        std::erase(static_cast<Memory*>(user)->m_new, memory);
    }
};

Buffer::~Buffer()
{
    if (m_allocation)
        m_memory->free({m_buffer, m_allocation});
}

void Buffer::swap(Buffer& other) noexcept
{
    std::swap(m_memory, other.m_memory);
    std::swap(m_allocation, other.m_allocation);
    std::swap(m_buffer, other.m_buffer);
    std::swap(m_address, other.m_address);
    std::swap(m_data, other.m_data);
}

VkResult Memory::create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                        const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                        const Names& names)
{
    m_device = device;
    m_names = names;
    m_getAddress = table.GetBufferDeviceAddress;
    const VmaVulkanFunctions vulkanFunctions = vmaFunctions(instanceTable, table);
    VmaAllocatorCreateInfo info{};
    // Its own locks would hang in what it is used for inside of itself.
    info.flags = VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT | VMA_ALLOCATOR_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
    info.physicalDevice = physical;
    info.device = device;
    info.instance = instance;
    info.vulkanApiVersion = VK_API_VERSION_1_3;
    info.pVulkanFunctions = &vulkanFunctions;
    info.pAllocationCallbacks = hostMemory();
    const VmaDeviceMemoryCallbacks callbacks{Callbacks::allocated, Callbacks::freed, this};
    info.pDeviceMemoryCallbacks = &callbacks;
    // Plans are small; the default of 256 MiB blocks would dwarf them.
    info.preferredLargeHeapBlockSize = 4ull << 20;
    return vmaCreateAllocator(&info, &m_allocator);
}

Memory::~Memory()
{
    if (m_allocator)
        vmaDestroyAllocator(m_allocator);
}

template <typename Work>
bool Memory::withAllocator(const Work& work)
{
    std::vector<VkDeviceMemory> unnamed;
    {
        std::lock_guard lock(m_mutex);
        if (m_isInUse)
            return false;
        m_isInUse = true;
        work();
        while (!m_freed.empty()) {
            const auto [buffer, allocation] = m_freed.back();
            m_freed.pop_back();
            vmaDestroyBuffer(m_allocator, buffer, allocation);
        }
        m_isInUse = false;
        unnamed = std::exchange(m_new, {});
    }
    for (const VkDeviceMemory memory : unnamed)
        m_names.set(VK_OBJECT_TYPE_DEVICE_MEMORY, memory, {"memory of graphs in flight"});
    return true;
}

void Memory::free(const Allocated& buffer)
{
    const bool isFree = withAllocator([&] { vmaDestroyBuffer(m_allocator, buffer.first, buffer.second); });
    if (isFree)
        return;
    std::lock_guard lock(m_mutex);
    try {
        m_freed.push_back(buffer);
    } catch (...) {
        // Without memory for that it stays until the device goes.
    }
}

VkResult Memory::createBuffer(BufferUse use, VkDeviceSize bytes, Buffer& out)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VmaAllocationCreateInfo wanted{};
    // Shaders read uploads once or a few times: memory of the device that the host can write is best, any other will
    // do.
    wanted.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
    wanted.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
    switch (use) {
        case BufferUse::Upload:
            info.usage |= VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
            wanted.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT;
            wanted.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
            break;
        case BufferUse::Breadcrumbs:
            info.usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
            [[fallthrough]];
        case BufferUse::Readback:
            wanted.usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST;
            wanted.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
            wanted.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
            break;
        case BufferUse::Draws:
            info.usage |= VK_BUFFER_USAGE_TRANSFER_DST_BIT;
            [[fallthrough]];
        case BufferUse::Indirect:
            info.usage |= VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
            wanted.flags = 0;
            break;
        case BufferUse::Indices:
            info.usage |= VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
            wanted.flags = 0;
            break;
        case BufferUse::Results:
            info.usage |= VK_BUFFER_USAGE_TRANSFER_DST_BIT;
            wanted.flags = 0;
            break;
    }
    Buffer buffer;
    buffer.m_memory = this;
    VmaAllocationInfo allocated{};
    VkResult result = VK_ERROR_UNKNOWN;
    withAllocator([&] {
        result = vmaCreateBufferWithAlignment(m_allocator, &info, &wanted, kBufferAlignment, &buffer.m_buffer,
                                              &buffer.m_allocation, &allocated);
    });
    if (result != VK_SUCCESS)
        return result;
    buffer.m_data = static_cast<std::byte*>(allocated.pMappedData);
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = buffer.m_buffer;
    buffer.m_address = m_getAddress(m_device, &ask);
    out = std::move(buffer);
    return VK_SUCCESS;
}

}  // namespace millrace::runtime

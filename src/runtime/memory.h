// SPDX-License-Identifier: Apache-2.0
// Buffers of ours, addressed from shaders: plans and inputs of a dispatch, status, indirect arguments.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>

#include "runtime/names.h"

struct VmaAllocator_T;
struct VmaAllocation_T;

namespace millrace::runtime {

enum class BufferUse {
    Upload,       // written once by the host, read by shaders
    Readback,     // written by shaders, read by the host
    Indirect,     // written by shaders, read as indirect arguments; not mapped
    Results,      // written by copies of query results, read by shaders; not mapped
    Breadcrumbs,  // Readback that transfer commands read and write
};

// A mapped, coherent buffer (Upload, Readback, Breadcrumbs), or one that is not mapped.
class Buffer {
public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Buffer();

    VkBuffer handle() const { return m_buffer; }
    VkDeviceAddress address() const { return m_address; }
    std::byte* data() const { return m_data; }

private:
    friend class Memory;
    void swap(Buffer& other) noexcept;

    VmaAllocator_T* m_allocator = nullptr;
    VmaAllocation_T* m_allocation = nullptr;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceAddress m_address = 0;
    std::byte* m_data = nullptr;
};

// Suballocates device memory. Thread-safe. Outlives its buffers.
class Memory {
public:
    VkResult create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                    const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                    const Names& names);
    ~Memory();

    // Out-of-memory errors only. `bytes` > 0.
    VkResult createBuffer(BufferUse use, VkDeviceSize bytes, Buffer& out);

private:
    VmaAllocator_T* m_allocator = nullptr;
    VkDevice m_device = VK_NULL_HANDLE;
    PFN_vkGetBufferDeviceAddress m_getAddress = nullptr;
    Names m_names;
};

}  // namespace millrace::runtime

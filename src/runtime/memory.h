// SPDX-License-Identifier: Apache-2.0
// Buffers of ours, addressed from shaders: plans and inputs of a dispatch, status, indirect arguments.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/names.h"

struct VmaAllocator_T;
struct VmaAllocation_T;

namespace millrace::runtime {

class Memory;

enum class BufferUse {
    Upload,       // written once by the host, read by shaders or as indirect arguments
    Readback,     // written by shaders, read by the host
    Indirect,     // written by shaders, read as indirect arguments; not mapped
    Indices,      // written by shaders, read as an index buffer; not mapped
    Results,      // written by copies of query results, read by shaders; not mapped
    Draws,        // Indirect that transfer commands write
    Breadcrumbs,  // Readback that transfer commands read and write
};
inline constexpr size_t kBufferUses = 7;

// Of where buffers begin. 16-byte granules and 64-bit fields are read at multiples of their size.
inline constexpr VkDeviceSize kBufferAlignment = 64;

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

    Memory* m_memory = nullptr;
    VmaAllocation_T* m_allocation = nullptr;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceAddress m_address = 0;
    std::byte* m_data = nullptr;
};

// Suballocates device memory. Thread-safe. Outlives its buffers.
//
// What lies below may call the application while it allocates (debug messengers, reports of device memory), which must
// not call Vulkan then, and may do so all the same. Buffers that such a callback destroys are destroyed behind the
// call that it is in; there are no new ones for it. Names are given without the lock.
class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    VkResult create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                    const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                    const Names& names);
    ~Memory();

    // Out-of-memory errors, and VK_ERROR_UNKNOWN inside of itself, on the same thread. `bytes` > 0.
    VkResult createBuffer(BufferUse use, VkDeviceSize bytes, Buffer& out);

private:
    friend class Buffer;
    using Allocated = std::pair<VkBuffer, VmaAllocation_T*>;
    struct Callbacks;

    void free(const Allocated& buffer);
    // Calls `work` with the allocator, which nobody else has then. False if this thread has it already.
    template <typename Work>
    bool withAllocator(const Work& work);

    std::recursive_mutex m_mutex;
    bool m_isInUse = false;             // by the thread that has the mutex
    std::vector<Allocated> m_freed;     // meanwhile
    std::vector<VkDeviceMemory> m_new;  // without a name
    VmaAllocator_T* m_allocator = nullptr;
    VkDevice m_device = VK_NULL_HANDLE;
    PFN_vkGetBufferDeviceAddress m_getAddress = nullptr;
    Names m_names;
};

}  // namespace millrace::runtime

// SPDX-License-Identifier: Apache-2.0
// Buffers and images of the device, with their memory.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>

#include "runtime/vma_functions.h"
#include "tools/run/device.h"

namespace millrace::tools::run {

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VmaAllocation allocation = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    VkDeviceAddress address = 0;
    void* mapped = nullptr;  // for the host's buffers
};

struct Image {
    VkImage handle = VK_NULL_HANDLE;
    VmaAllocation allocation = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
};

struct ImageNeeds {
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t width = 0;
    uint32_t height = 0;
    VkImageUsageFlags usage = 0;
    uint32_t samples = 1;
    VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT;
};

// Owns all that it creates. Throws DeviceError.
class Memory {
public:
    Memory(const Instance& instance, const Device& device);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    enum class Where { Device, HostWrites, HostReads };
    // All have an address.
    const Buffer& createBuffer(VkDeviceSize size, VkBufferUsageFlags usage, Where where);
    const Image& createImage(const ImageNeeds& needs);
    // Of all of the buffer, as texels.
    VkBufferView createBufferView(const Buffer& buffer, VkFormat format);

    void makeVisibleToDevice(const Buffer& buffer) const;
    void makeVisibleToHost(const Buffer& buffer) const;

private:
    const Device& m_device;
    VmaAllocator m_allocator = VK_NULL_HANDLE;
    std::deque<Buffer> m_buffers;
    std::deque<Image> m_images;
    std::deque<VkBufferView> m_bufferViews;
};

}  // namespace millrace::tools::run

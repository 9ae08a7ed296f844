// SPDX-License-Identifier: Apache-2.0
#include "tools/run/memory.h"

namespace millrace::tools::run {

namespace {

VmaAllocationCreateFlags flagsFor(Memory::Where where)
{
    switch (where) {
        case Memory::Where::HostWrites:
            return VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
        case Memory::Where::HostReads:
            return VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
        case Memory::Where::Device:
            break;
    }
    return 0;
}

}  // namespace

Memory::Memory(const Instance& instance, const Device& device) : m_device(device)
{
    const VmaVulkanFunctions vulkan = runtime::vmaFunctions(instance.vk(), device.vk());
    VmaAllocatorCreateInfo info{};
    info.pVulkanFunctions = &vulkan;
    info.flags = VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
    info.instance = instance.handle();
    info.physicalDevice = device.physical();
    info.device = device.handle();
    info.vulkanApiVersion = VK_API_VERSION_1_3;
    check(vmaCreateAllocator(&info, &m_allocator), "vmaCreateAllocator");
}

Memory::~Memory()
{
    for (VkBufferView view : m_bufferViews)
        m_device.vk().DestroyBufferView(m_device.handle(), view, nullptr);
    for (const Buffer& buffer : m_buffers)
        vmaDestroyBuffer(m_allocator, buffer.handle, buffer.allocation);
    for (const Image& image : m_images) {
        m_device.vk().DestroyImageView(m_device.handle(), image.view, nullptr);
        vmaDestroyImage(m_allocator, image.handle, image.allocation);
    }
    vmaDestroyAllocator(m_allocator);
}

const Buffer& Memory::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage, Where where)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VmaAllocationCreateInfo allocation{};
    allocation.usage = VMA_MEMORY_USAGE_AUTO;
    allocation.flags = flagsFor(where);
    Buffer buffer;
    VmaAllocationInfo result{};
    check(vmaCreateBuffer(m_allocator, &info, &allocation, &buffer.handle, &buffer.allocation, &result),
          "creating a buffer: vmaCreateBuffer");
    buffer.size = size;
    buffer.mapped = result.pMappedData;
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = buffer.handle;
    buffer.address = m_device.vk().GetBufferDeviceAddress(m_device.handle(), &address);
    return m_buffers.emplace_back(buffer);
}

const Image& Memory::createImage(const ImageNeeds& needs)
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = needs.format;
    info.extent = {needs.width, needs.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = static_cast<VkSampleCountFlagBits>(needs.samples);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = needs.usage;
    VmaAllocationCreateInfo allocation{};
    allocation.usage = VMA_MEMORY_USAGE_AUTO;
    Image& image = m_images.emplace_back();
    check(vmaCreateImage(m_allocator, &info, &allocation, &image.handle, &image.allocation, nullptr),
          "creating an image: vmaCreateImage");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image.handle;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = needs.format;
    view.subresourceRange = {needs.aspects, 0, 1, 0, 1};
    check(m_device.vk().CreateImageView(m_device.handle(), &view, nullptr, &image.view), "vkCreateImageView");
    return image;
}

VkBufferView Memory::createBufferView(const Buffer& buffer, VkFormat format)
{
    VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = buffer.handle;
    info.format = format;
    info.range = VK_WHOLE_SIZE;
    VkBufferView view = VK_NULL_HANDLE;
    check(m_device.vk().CreateBufferView(m_device.handle(), &info, nullptr, &view), "vkCreateBufferView");
    return m_bufferViews.emplace_back(view);
}

void Memory::makeVisibleToDevice(const Buffer& buffer) const
{
    check(vmaFlushAllocation(m_allocator, buffer.allocation, 0, VK_WHOLE_SIZE), "vmaFlushAllocation");
}

void Memory::makeVisibleToHost(const Buffer& buffer) const
{
    check(vmaInvalidateAllocation(m_allocator, buffer.allocation, 0, VK_WHOLE_SIZE), "vmaInvalidateAllocation");
}

}  // namespace millrace::tools::run

// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/readback.h"

namespace millrace::bench {

using harness::Buffer;
using harness::Device;

namespace {

uint32_t readbackType(Device& device, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device.physical, &memory);
    constexpr VkMemoryPropertyFlags kVisible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (const VkMemoryPropertyFlags wanted : {kVisible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kVisible})
        for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((bits >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
                return i;
    throw harness::HarnessError("no memory that the host can read");
}

}  // namespace

Buffer createReadback(Device& device, VkDeviceSize bytes)
{
    Buffer buffer;
    buffer.size = bytes;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    harness::check(vkCreateBuffer(device.device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.device, buffer.handle, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = readbackType(device, needs.memoryTypeBits);
    harness::check(vkAllocateMemory(device.device, &allocate, nullptr, &buffer.memory), "vkAllocateMemory");
    harness::check(vkBindBufferMemory(device.device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    harness::check(vkMapMemory(device.device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped), "vkMapMemory");
    return buffer;
}

}  // namespace millrace::bench

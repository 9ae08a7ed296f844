// SPDX-License-Identifier: Apache-2.0
#include "runtime/vma_functions.h"

namespace millrace::runtime {

VmaVulkanFunctions vmaFunctions(const VkuInstanceDispatchTable& instance, const VkuDeviceDispatchTable& device)
{
    VmaVulkanFunctions f{};
    f.vkGetPhysicalDeviceProperties = instance.GetPhysicalDeviceProperties;
    f.vkGetPhysicalDeviceMemoryProperties = instance.GetPhysicalDeviceMemoryProperties;
    f.vkGetPhysicalDeviceMemoryProperties2KHR = instance.GetPhysicalDeviceMemoryProperties2;
    f.vkAllocateMemory = device.AllocateMemory;
    f.vkFreeMemory = device.FreeMemory;
    f.vkMapMemory = device.MapMemory;
    f.vkUnmapMemory = device.UnmapMemory;
    f.vkFlushMappedMemoryRanges = device.FlushMappedMemoryRanges;
    f.vkInvalidateMappedMemoryRanges = device.InvalidateMappedMemoryRanges;
    f.vkBindBufferMemory = device.BindBufferMemory;
    f.vkBindImageMemory = device.BindImageMemory;
    f.vkGetBufferMemoryRequirements = device.GetBufferMemoryRequirements;
    f.vkGetImageMemoryRequirements = device.GetImageMemoryRequirements;
    f.vkCreateBuffer = device.CreateBuffer;
    f.vkDestroyBuffer = device.DestroyBuffer;
    f.vkCreateImage = device.CreateImage;
    f.vkDestroyImage = device.DestroyImage;
    f.vkCmdCopyBuffer = device.CmdCopyBuffer;
    f.vkGetBufferMemoryRequirements2KHR = device.GetBufferMemoryRequirements2;
    f.vkGetImageMemoryRequirements2KHR = device.GetImageMemoryRequirements2;
    f.vkBindBufferMemory2KHR = device.BindBufferMemory2;
    f.vkBindImageMemory2KHR = device.BindImageMemory2;
    f.vkGetDeviceBufferMemoryRequirements = device.GetDeviceBufferMemoryRequirements;
    f.vkGetDeviceImageMemoryRequirements = device.GetDeviceImageMemoryRequirements;
    return f;
}

}  // namespace millrace::runtime

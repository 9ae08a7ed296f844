// SPDX-License-Identifier: Apache-2.0
// A queue of the layer's beside the application's of a family. What the application's queues wait for can be done
// there.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace millrace::layer {

struct Device;

// The queues that an application asks vkCreateDevice for, and one more of each family that runs compute shaders and has
// more than the application wants. For the time of the call.
class QueuesWithSide {
public:
    QueuesWithSide(const VkDeviceCreateInfo& createInfo, std::span<const VkQueueFamilyProperties> families);
    QueuesWithSide(const QueuesWithSide&) = delete;
    QueuesWithSide& operator=(const QueuesWithSide&) = delete;

    std::span<const VkDeviceQueueCreateInfo> infos() const { return m_infos; }
    // The index of the one more, by family.
    const std::map<uint32_t, uint32_t>& added() const { return m_added; }

private:
    std::vector<VkDeviceQueueCreateInfo> m_infos;
    std::vector<std::vector<float>> m_priorities;
    std::map<uint32_t, uint32_t> m_added;
};

// Shared by the application's queues of the family.
class SideQueue {
public:
    // Null if the driver or the loader does not give it.
    static std::unique_ptr<SideQueue> create(Device& device, uint32_t family, uint32_t index);
    SideQueue(const SideQueue&) = delete;
    SideQueue& operator=(const SideQueue&) = delete;

    // Any thread.
    VkResult submit(const VkSubmitInfo2& info);

private:
    explicit SideQueue(Device& device) : m_device(device) {}

    Device& m_device;
    VkQueue m_queue = VK_NULL_HANDLE;
    std::mutex m_use;
};

}  // namespace millrace::layer

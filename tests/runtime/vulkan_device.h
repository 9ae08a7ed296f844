// SPDX-License-Identifier: Apache-2.0
// A bare Vulkan device for tests of the runtime: no layer of ours, the Khronos validation layer on.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace millrace::test {

struct HostBuffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    uint32_t* words = nullptr;
};

// Aborts with a message on any Vulkan error. Counts validation messages.
class VulkanDevice {
public:
    VulkanDevice();
    ~VulkanDevice();

    HostBuffer createBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage);
    void destroy(HostBuffer& buffer);
    // Records, submits, waits.
    void run(const std::function<void(VkCommandBuffer)>& record);
    uint32_t messages() const { return m_messages; }

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkuInstanceDispatchTable instanceTable{};
    VkuDeviceDispatchTable table{};

private:
    void createInstance();
    void createDevice();
    static VkBool32 VKAPI_PTR onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT*, void*);

    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    uint32_t m_messages = 0;
};

}  // namespace millrace::test

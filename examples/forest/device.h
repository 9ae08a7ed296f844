// SPDX-License-Identifier: Apache-2.0
// A Vulkan device with VK_EXT_device_generated_commands, one queue, buffers and images.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <span>
#include <string>

// Throws with the name of the call unless it succeeded.
void check(VkResult result, const char* call);

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    void* mapped = nullptr;
};

struct Image {
    VkImage handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
};

class Device {
public:
    // Takes the first device with the extension whose name contains `name`; throws, with advice, if none has it.
    explicit Device(const std::string& name);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const std::string& name() const { return m_name; }
    VkDevice handle() const { return m_device; }

    // Mapped, and with an address.
    Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags2 usage) const;
    void destroy(const Buffer& buffer) const;
    Image createImage(VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const;
    void destroy(const Image& image) const;
    VkShaderModule createModule(std::span<const uint32_t> words) const;
    // Records, submits and waits.
    void run(const std::function<void(VkCommandBuffer)>& record) const;

    // Of a command of the extension.
    template <typename Function>
    Function load(const char* command) const
    {
        return reinterpret_cast<Function>(vkGetDeviceProcAddr(m_device, command));
    }

private:
    void createInstance();
    void choosePhysicalDevice(const std::string& name);
    void createDevice();
    VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const;

    std::string m_name;
    VkInstance m_instance = VK_NULL_HANDLE;
    VkPhysicalDevice m_physicalDevice = VK_NULL_HANDLE;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
};

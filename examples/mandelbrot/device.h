// SPDX-License-Identifier: Apache-2.0
// A Vulkan device that can run execution graphs, one queue, and buffers.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

// Throws with the name of the call unless it succeeded.
void check(VkResult result, const char* call);

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    void* mapped = nullptr;  // if created for the host
};

class Device {
public:
    // Takes the first device with VK_AMDX_shader_enqueue whose name contains `name`; throws, with advice, if none has
    // it.
    explicit Device(const std::string& name);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    enum class Memory { Device, Host };
    Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage, Memory memory) const;
    void destroy(const Buffer& buffer) const;

    // Of a command of VK_AMDX_shader_enqueue; throws if the device lacks it.
    template <typename Function>
    Function load(const char* name) const
    {
        return reinterpret_cast<Function>(loadAny(name));
    }

    // The device and its driver, in words.
    std::string description() const;
    // Who runs execution graphs: a layer that says so among the active tools, else the driver.
    std::string graphProvider() const;

    VkDevice handle() const { return m_device; }
    VkQueue queue() const { return m_queue; }
    uint32_t queueFamily() const { return m_queueFamily; }
    double timestampPeriodNs() const { return m_properties.limits.timestampPeriod; }
    uint32_t timestampBits() const { return m_timestampBits; }

private:
    void createInstance();
    void choosePhysicalDevice(const std::string& name);
    void createDevice();
    PFN_vkVoidFunction loadAny(const char* name) const;
    uint32_t memoryType(uint32_t allowed, Memory where) const;

    VkInstance m_instance = VK_NULL_HANDLE;
    VkPhysicalDevice m_physicalDevice = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties m_properties{};
    VkPhysicalDeviceDriverProperties m_driver{};
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    uint32_t m_queueFamily = 0;
    uint32_t m_timestampBits = 0;
};

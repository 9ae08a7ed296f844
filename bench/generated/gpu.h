// SPDX-License-Identifier: Apache-2.0
// A device that can be measured: with the layer, or with the driver alone.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace millrace::bench {

// Throws std::runtime_error unless the result is VK_SUCCESS.
void check(VkResult result, const char* what);

enum class Provider { Driver, Layer };

struct GpuBuffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    uint32_t* words = nullptr;  // if the host sees it
};

class Gpu {
public:
    // The first device whose name contains `name`. Throws std::runtime_error if there is none.
    Gpu(Provider provider, const std::string& name);
    ~Gpu();
    Gpu(const Gpu&) = delete;

    const std::string& name() const { return m_name; }
    // VK_EXT_device_generated_commands is enabled.
    bool hasGeneratedCommands() const { return m_hasCommands; }
    VkDevice handle() const { return m_device; }

    GpuBuffer createBuffer(VkDeviceSize bytes, VkBufferUsageFlags2 usage, bool isMapped);
    // In memory of the device.
    GpuBuffer createFilled(std::span<const uint32_t> words, VkBufferUsageFlags2 usage);
    void destroy(const GpuBuffer& buffer) const;
    // The caller frees it.
    VkDeviceMemory bindMemory(VkImage image) const;
    VkShaderModule createModule(std::span<const uint32_t> words) const;

    VkCommandBuffer allocate() const;
    void free(VkCommandBuffer commandBuffer) const;
    void begin(VkCommandBuffer commandBuffer) const;
    // Submits and waits.
    void run(VkCommandBuffer commandBuffer) const;
    // Writes the time before or behind all that is recorded in front.
    void stamp(VkCommandBuffer commandBuffer, uint32_t number) const;
    void resetStamps(VkCommandBuffer commandBuffer) const;
    double nanosecondsBetweenStamps() const;

    template <typename Function>
    void load(Function& out, const char* name) const
    {
        out = reinterpret_cast<Function>(vkGetDeviceProcAddr(m_device, name));
    }

private:
    void createInstance(Provider provider);
    void choosePhysical(const std::string& name);
    void createDevice();
    uint32_t memoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;

    std::string m_name;
    bool m_hasCommands = false;
    double m_period = 1;
    VkInstance m_instance = VK_NULL_HANDLE;
    VkPhysicalDevice m_physical = VK_NULL_HANDLE;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkQueryPool m_stamps = VK_NULL_HANDLE;
    VkFence m_fence = VK_NULL_HANDLE;
};

}  // namespace millrace::bench

// SPDX-License-Identifier: Apache-2.0
// A device that can be measured: with the layer, or with the driver alone.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS  // VK_AMDX_shader_enqueue is provisional
#endif
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
// What is measured. Of the layer it is its own, also where the driver has it.
enum class Extension { GeneratedCommands, TokenStreams, MeshShaders, MeshNodes, MeshNodesAndShaders };

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
    Gpu(Provider provider, Extension extension, const std::string& name);
    ~Gpu();
    Gpu(const Gpu&) = delete;

    const std::string& name() const { return m_name; }
    const std::string& driver() const { return m_driver; }
    const std::string& driverInfo() const { return m_driverInfo; }
    // The extension is enabled.
    bool hasExtension() const { return m_hasExtension; }
    VkDevice handle() const { return m_device; }
    // Of VK_NV_device_generated_commands; 0 without it.
    uint32_t mostShaderGroups() const;
    // VK_NV_device_generated_commands_compute is enabled as well.
    bool hasComputeStreams() const { return m_hasComputeStreams; }

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
    // Writes the time when all that is recorded in front has begun (number 0), or has ended (up to kStamps - 1).
    void stamp(VkCommandBuffer commandBuffer, uint32_t number) const;
    void resetStamps(VkCommandBuffer commandBuffer) const;
    double nanosecondsBetweenStamps(uint32_t from, uint32_t to) const;

    template <typename Function>
    void load(Function& out, const char* name) const
    {
        out = reinterpret_cast<Function>(vkGetDeviceProcAddr(m_device, name));
    }

private:
    static constexpr uint32_t kStamps = 3;

    void createInstance();
    void choosePhysical(const std::string& name);
    // Names of what the device has to have for it, if the device lists all of them, and of what goes with it.
    std::vector<const char*> findExtensions() const;
    void createDevice();
    uint32_t memoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;

    const Provider m_provider;
    const Extension m_extension;
    std::string m_name;
    std::string m_driver;
    std::string m_driverInfo;
    bool m_hasExtension = false;
    bool m_hasComputeStreams = false;
    bool m_hasLongUsage = false;  // VkBufferUsageFlags2CreateInfo
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

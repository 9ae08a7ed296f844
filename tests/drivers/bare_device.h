// SPDX-License-Identifier: Apache-2.0
// A driver by itself, without layers: one device, one queue, one buffer that host and shaders see. For programs that
// ask what a driver does.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>

namespace millrace::drivers {

// Throws std::runtime_error unless it is VK_SUCCESS.
void check(VkResult result, const char* what);

VkInstance createInstance();
// The first with that in its name, which is printed.
VkPhysicalDevice findDevice(VkInstance instance, const std::string& name);
// What MILLRACE_TEST_DEVICE says; all devices have an empty name in theirs.
std::string wantedDevice();

class BareDevice {
public:
    BareDevice(VkPhysicalDevice physical, uint32_t family, VkDeviceSize bufferBytes, VkBufferUsageFlags usage,
               uint32_t pushBytes);
    ~BareDevice();
    BareDevice(const BareDevice&) = delete;

    // Lives as long as the device. Its only interface are push constants.
    VkPipeline createPipeline(std::span<const uint32_t> words);
    VkCommandBuffer begin(VkCommandBufferUsageFlags flags = 0);
    void bind(VkCommandBuffer commands, VkPipeline pipeline) const
    {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    }
    void push(VkCommandBuffer commands, const void* bytes, uint32_t size) const
    {
        vkCmdPushConstants(commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, bytes);
    }
    // Submits it so often, and waits.
    void run(VkCommandBuffer commands, uint32_t times = 1);

    VkBuffer buffer() const { return m_buffer; }
    VkDeviceAddress address() const { return m_address; }
    uint32_t* words() const { return m_words; }

private:
    void createDevice(uint32_t family);
    void createBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage);
    void createLayout(uint32_t pushBytes);
    uint32_t findMemoryType(uint32_t bits) const;

    VkPhysicalDevice m_physical;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    uint32_t* m_words = nullptr;
    VkDeviceAddress m_address = 0;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipelines[4] = {};
    uint32_t m_pipelineCount = 0;
    VkCommandPool m_pool = VK_NULL_HANDLE;
};

}  // namespace millrace::drivers

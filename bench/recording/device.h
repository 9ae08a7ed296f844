// SPDX-License-Identifier: Apache-2.0
// A device to record for: with or without the layer in front of its driver.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <span>
#include <string>

namespace millrace::bench {

enum class Mode {
    NoLayer,
    LayerAlone,   // in front of the driver; the application enables nothing of it
    WithFeature,  // and shaderEnqueue is enabled
};

// An instance with the first device whose name contains `name`. Throws std::runtime_error if there is none.
class RecordingInstance {
public:
    RecordingInstance(Mode mode, const std::string& name);
    ~RecordingInstance();
    RecordingInstance(const RecordingInstance&) = delete;

    const std::string& deviceName() const { return m_name; }
    // The caller destroys it. Throws if there is none.
    VkDevice createDevice() const;

private:
    Mode m_mode;
    std::string m_name;
    VkInstance m_instance = VK_NULL_HANDLE;
    VkPhysicalDevice m_physical = VK_NULL_HANDLE;
};

// What the commands of the scene refer to. Nothing is ever submitted.
class RecordingDevice {
public:
    RecordingDevice(Mode mode, const std::string& name);
    ~RecordingDevice();
    RecordingDevice(const RecordingDevice&) = delete;

    VkDevice handle() const { return m_device; }
    const VkuDeviceDispatchTable& table() const { return m_table; }

    static constexpr uint32_t kPipelines = 8;
    static constexpr uint32_t kSets = 64;
    static constexpr VkExtent2D kExtent{256, 256};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline graphics[kPipelines]{};
    VkPipeline compute[kPipelines]{};
    VkDescriptorSet sets[kSets]{};
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImageView target = VK_NULL_HANDLE;

private:
    void createLayouts();
    void createSets();
    void createPipelines();
    void createBuffer();
    void createTarget();
    VkDeviceMemory allocate(const VkMemoryRequirements& requirements);
    VkShaderModule createModule(std::span<const uint32_t> words);

    RecordingInstance m_instance;
    VkDevice m_device;
    VkuDeviceDispatchTable m_table{};
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkDescriptorPool m_descriptorPool = VK_NULL_HANDLE;
    VkImage m_image = VK_NULL_HANDLE;
    VkDeviceMemory m_memory[2]{};
    uint32_t m_memoryCount = 0;
};

void check(VkResult result, const char* what);

}  // namespace millrace::bench

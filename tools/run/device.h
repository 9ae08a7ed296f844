// SPDX-License-Identifier: Apache-2.0
// A device that runs execution graphs, with one queue.
#pragma once

#include <functional>
#include <string>

#include "tools/run/instance.h"

namespace millrace::tools::run {

struct GraphFunctions {
    PFN_vkCreateExecutionGraphPipelinesAMDX createPipelines = nullptr;
    PFN_vkGetExecutionGraphPipelineScratchSizeAMDX getScratchSize = nullptr;
    PFN_vkGetExecutionGraphPipelineNodeIndexAMDX getNodeIndex = nullptr;
    PFN_vkCmdInitializeGraphScratchMemoryAMDX initializeScratch = nullptr;
    PFN_vkCmdDispatchGraphAMDX dispatch = nullptr;
    PFN_vkCmdDispatchGraphIndirectAMDX dispatchIndirect = nullptr;
    PFN_vkCmdDispatchGraphIndirectCountAMDX dispatchIndirectCount = nullptr;
};

// Lanes of a subgroup: of shaders that ask for none, and the sizes to choose among.
struct WaveLimits {
    uint32_t usual = 0;
    uint32_t smallest = 0;
    uint32_t largest = 0;
};

class Device {
public:
    // Takes the device with `wanted` in its name, whatever the case, or of that number; without it the fastest kind.
    // Everything that the device can do is switched on, since nodes may use it. With `draws` it has mesh nodes. Throws
    // DeviceError.
    Device(const Instance& instance, const std::string& wanted, bool draws);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkPhysicalDevice physical() const { return m_physical; }
    VkDevice handle() const { return m_device; }
    const VkuDeviceDispatchTable& vk() const { return m_vk; }
    const GraphFunctions& graphs() const { return m_graphs; }
    const VkPhysicalDeviceProperties& properties() const { return m_properties; }
    const WaveLimits& waves() const { return m_waves; }
    const std::string& driver() const { return m_driver; }
    // Who runs graphs: Millrace if its layer says that it does, else the driver itself.
    bool isEmulated() const { return m_isEmulated; }
    uint32_t timestampBits() const { return m_timestampBits; }

    // Records, submits and waits. The command buffer may be split by the layer, so it is submitted once only.
    void submit(const std::function<void(VkCommandBuffer)>& record) const;

private:
    void choose(const Instance& instance, const std::string& wanted);
    void describe(const VkuInstanceDispatchTable& vk);
    void create(const Instance& instance);
    void loadFunctions();
    void destroy();

    VkPhysicalDevice m_physical = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties m_properties{};
    WaveLimits m_waves;
    std::string m_driver;
    bool m_isEmulated = false;
    const bool m_draws;
    VkDevice m_device = VK_NULL_HANDLE;
    VkuDeviceDispatchTable m_vk{};
    VkQueue m_queue = VK_NULL_HANDLE;
    uint32_t m_queueFamily = 0;
    uint32_t m_timestampBits = 0;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    GraphFunctions m_graphs;
};

}  // namespace millrace::tools::run

// SPDX-License-Identifier: Apache-2.0
// The application's VkDeviceCreateInfo without what is ours and with what lowered graphs need.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <vector>

#include "layer/chains/patched_chain.h"
#include "layer/loader/support.h"

namespace millrace::layer {

// What the application enables of the extensions that the layer may provide.
struct EnabledByApplication {
    bool shaderEnqueueExtension = false;
    bool shaderEnqueueFeature = false;
    bool shaderMeshEnqueue = false;
    bool maintenance5 = false;
    bool pipelineLibrary = false;
    bool deviceGroup = false;  // of more than one physical device
    // Bind points that the device has besides graphics and compute.
    bool rayTracing = false;
    bool subpassShading = false;
    bool tessellation = false;
    bool geometry = false;
    // Features that pipeline flags depend on.
    bool cacheControl = false;
    bool generatedCommandsExtension = false;
    bool generatedCommands = false;  // VK_EXT_device_generated_commands
    bool meshShaderExtension = false;
    bool meshShader = false;
    bool taskShader = false;
    bool meshShaderQueries = false;
    bool inheritedQueries = false;
    bool tokenStreams = false;               // VK_NV_device_generated_commands, its feature
    bool generatedComputePipelines = false;  // VK_NV_device_generated_commands_compute
};

EnabledByApplication enabledByApplication(const VkDeviceCreateInfo& createInfo);

// Each feature of the layer's takes out what it provides and switches on what it needs, in the structures that the
// application chained where it did (VUID-VkDeviceCreateInfo-pNext-06532). Everything else is the application's.
class PatchedDeviceCreateInfo {
public:
    // `uses`: bits of Use.
    PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support, uint32_t uses);
    PatchedDeviceCreateInfo(const PatchedDeviceCreateInfo&) = delete;
    PatchedDeviceCreateInfo& operator=(const PatchedDeviceCreateInfo&) = delete;

    const VkDeviceCreateInfo* get() const { return &m_info; }
    const std::vector<VkStructureType>& lost() const { return m_chain.lost(); }

    // For features of the layer's.
    void removeExtension(const char* name);
    void addExtension(const char* name);  // unless the application has it; `name` outlives this
    // `infos` outlive this.
    void setQueues(std::span<const VkDeviceQueueCreateInfo> infos);
    PatchedChain& chain() { return m_chain; }
    // One of VkPhysicalDeviceFeatures.
    void enable(VkBool32 VkPhysicalDeviceFeatures::*feature);
    // Switches a feature on in the structure of a Vulkan version if the application chained that, else in the
    // feature's own.
    template <typename Version, typename Own>
    void enable(VkStructureType versionType, VkBool32 Version::*versionMember, VkStructureType ownType,
                VkBool32 Own::*ownMember)
    {
        if (const auto* version = m_chain.find<Version>(versionType)) {
            if (!(version->*versionMember))
                m_chain.change<Version>(versionType)->*versionMember = VK_TRUE;
        } else if (const auto* own = m_chain.find<Own>(ownType)) {
            if (!(own->*ownMember))
                m_chain.change<Own>(ownType)->*ownMember = VK_TRUE;
        } else {
            m_chain.add<Own>(ownType)->*ownMember = VK_TRUE;
        }
    }

    // What submissions of split command buffers need.
    void enableSplits();

private:
    VkDeviceCreateInfo m_info;
    PatchedChain m_chain;
    std::vector<const char*> m_extensions;
    VkPhysicalDeviceFeatures m_features{};
};

}  // namespace millrace::layer

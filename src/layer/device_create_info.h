// SPDX-License-Identifier: Apache-2.0
// The application's VkDeviceCreateInfo without what is ours and with what lowered graphs need.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "layer/patched_chain.h"
#include "layer/support.h"

namespace millrace::layer {

// What the application enables of the extensions that the layer may provide.
struct EnabledByApplication {
    bool shaderEnqueueExtension = false;
    bool shaderEnqueueFeature = false;
    bool maintenance5 = false;
    bool pipelineLibrary = false;
    bool deviceGroup = false;  // of more than one physical device
    // Bind points that the device has besides graphics and compute.
    bool rayTracing = false;
    bool subpassShading = false;
    // Features that pipeline flags depend on.
    bool cacheControl = false;
    bool generatedCommands = false;          // VK_EXT_device_generated_commands
    bool generatedComputePipelines = false;  // VK_NV_device_generated_commands_compute
};

EnabledByApplication enabledByApplication(const VkDeviceCreateInfo& createInfo);

// Extensions and structures that `support` says the layer provides are gone; features that graphs need are on, in the
// structures that the application chained where it did (VUID-VkDeviceCreateInfo-pNext-06532). Everything else is the
// application's.
class PatchedDeviceCreateInfo {
public:
    PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support, bool graphs);
    PatchedDeviceCreateInfo(const PatchedDeviceCreateInfo&) = delete;
    PatchedDeviceCreateInfo& operator=(const PatchedDeviceCreateInfo&) = delete;

    const VkDeviceCreateInfo* get() const { return &m_info; }
    const std::vector<VkStructureType>& lost() const { return m_chain.lost(); }

private:
    void removeExtension(const char* name);
    void enableInt64();
    void enableNonUniformIndexing();
    void enableWhatGraphsNeed(const Support& support);

    VkDeviceCreateInfo m_info;
    PatchedChain m_chain;
    std::vector<const char*> m_extensions;
    VkPhysicalDeviceFeatures m_features{};
};

}  // namespace millrace::layer

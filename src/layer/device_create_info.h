// SPDX-License-Identifier: Apache-2.0
// The application's VkDeviceCreateInfo without what is ours and with what lowered graphs need.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>

#include "layer/support.h"

namespace vku {
struct safe_VkDeviceCreateInfo;
}

namespace millrace::layer {

// What the application enables of the extensions that the layer may provide.
struct EnabledByApplication {
    bool shaderEnqueueExtension = false;
    bool shaderEnqueueFeature = false;
    bool maintenance5 = false;
    bool pipelineLibrary = false;
    bool deviceGroup = false;  // of more than one physical device
    // Features that pipeline flags depend on.
    bool cacheControl = false;
    bool generatedCommands = false;          // VK_EXT_device_generated_commands
    bool generatedComputePipelines = false;  // VK_NV_device_generated_commands_compute
};

EnabledByApplication enabledByApplication(const VkDeviceCreateInfo& createInfo);

// A deep copy. Extensions and structures that `support` says the layer provides are gone; features that graphs need are
// on, in the structures that the application chained where it did (VUID-VkDeviceCreateInfo-pNext-06532).
class PatchedDeviceCreateInfo {
public:
    PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support, bool graphs);
    ~PatchedDeviceCreateInfo();

    const VkDeviceCreateInfo* get() const;

private:
    std::unique_ptr<vku::safe_VkDeviceCreateInfo> m_copy;
};

}  // namespace millrace::layer

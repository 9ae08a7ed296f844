// SPDX-License-Identifier: Apache-2.0
// What a feature wants to know of the application's pipelines that the driver makes.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::layer {

// Called during the application's commands, on their threads.
class PipelineObserver {
public:
    // The application's structure, as it was given.
    virtual void created(const VkComputePipelineCreateInfo& info, VkPipeline pipeline) = 0;
    virtual void created(const VkGraphicsPipelineCreateInfo& info, VkPipeline pipeline) = 0;
    // In front of that: what else of the driver's belongs to it. Errors are those of its creation.
    virtual VkResult createParts(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                                 VkPipeline pipeline) = 0;
    // One of those by its number (VK_NV_device_generated_commands). Null if there is none.
    virtual VkPipeline findPart(VkPipeline pipeline, uint32_t number) const = 0;
    // By the application, or no longer (null). `pipeline`: handleId().
    virtual void named(uint64_t pipeline, const char* name) = 0;
    // In front of the driver's destruction. Also for pipelines that nobody told of.
    virtual void destroyed(VkPipeline pipeline) = 0;

protected:
    ~PipelineObserver() = default;
};

}  // namespace millrace::layer

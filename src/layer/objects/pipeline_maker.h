// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines that a feature makes in the driver's place.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

// Called during the application's commands, on their threads.
class PipelineMaker {
public:
    // True for pipelines with stages that the driver does not know.
    virtual bool makes(const VkGraphicsPipelineCreateInfo& info) const = 0;
    // `info`: the application's, with flags and base pipeline as the driver may see them, and the application's stages.
    // The pipeline is one of the driver's, which the application may bind. Errors are those of
    // vkCreateGraphicsPipelines.
    virtual VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                            const VkAllocationCallbacks* allocator, VkPipeline* out) = 0;
    // True for pipelines that it has made.
    virtual bool isMade(VkPipeline pipeline) const = 0;
    // In front of the driver's destruction. Also for pipelines that it did not make.
    virtual void destroyed(VkPipeline pipeline) = 0;

protected:
    ~PipelineMaker() = default;
};

}  // namespace millrace::layer

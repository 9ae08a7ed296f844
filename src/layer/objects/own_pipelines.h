// SPDX-License-Identifier: Apache-2.0
// What the core asks of the feature whose pipelines the driver never sees: execution graphs, and the libraries that
// they are made from.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::layer {

struct GraphObject;

// Called during the application's commands, on their threads.
class OwnPipelines {
public:
    // True for libraries of the feature's.
    virtual bool makes(const VkComputePipelineCreateInfo& info) const = 0;
    virtual bool makes(const VkGraphicsPipelineCreateInfo& info) const = 0;
    // Errors are those of the commands that create pipelines. `created`: pipelines of the same command that
    // basePipelineIndex may mean.
    virtual VkResult create(const VkComputePipelineCreateInfo& info, VkPipelineCache cache, VkPipeline* out) = 0;
    virtual VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache, const VkPipeline* created,
                            VkPipeline* out) = 0;
    // For vkCmdBindPipeline at kGraphPoint. Null after a message if it cannot be bound there.
    virtual GraphObject* findBindable(VkPipeline pipeline) const = 0;
    // By the application, or no longer (null). `pipeline`: handleId() of one of the feature's.
    virtual void setName(uint64_t pipeline, const char* name) = 0;

protected:
    ~OwnPipelines() = default;
};

}  // namespace millrace::layer

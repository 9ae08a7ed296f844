// SPDX-License-Identifier: Apache-2.0
// Flags of a pipeline that variants of it are created with.
#pragma once

#include <vulkan/vulkan.h>

#include "layer/objects/pipeline_flags.h"

namespace millrace::layer {

// Those that say how the pipeline runs. What is said of its creation, of the relation to other pipelines and of what
// tools get to know is not meant for variants; flags beyond 32 bits of extensions that the layer does not translate
// have no place in the members.
inline VkPipelineCreateFlags variantFlags(const void* chain, VkPipelineCreateFlags flags)
{
    constexpr VkPipelineCreateFlags2 kOfCreation =
        VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_2_DERIVATIVE_BIT |
        VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT |
        VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV | VK_PIPELINE_CREATE_2_CAPTURE_STATISTICS_BIT_KHR |
        VK_PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    return static_cast<VkPipelineCreateFlags>(pipelineFlags(chain, flags) & ~kOfCreation);
}

}  // namespace millrace::layer

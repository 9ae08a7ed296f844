// SPDX-License-Identifier: Apache-2.0
// Flags that pipelines are created with.
#pragma once

#include <vulkan/vulkan.h>

#include "layer/chains/chain.h"

namespace millrace::layer {

// The flags of any pipeline creation structure: VkPipelineCreateFlags2CreateInfo wins over the 32-bit field.
inline VkPipelineCreateFlags2 pipelineFlags(const void* chain, VkPipelineCreateFlags flags)
{
    const auto* flags2 =
        findInChain<VkPipelineCreateFlags2CreateInfo>(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    return flags2 ? flags2->flags : flags;
}

}  // namespace millrace::layer

// SPDX-License-Identifier: Apache-2.0
// Compute pipelines that run all sequences of generated dispatches at once.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>

#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

class KeptPipeline;

// One whose stage has the code `words`. What `info` leads to is copied, but for handles of the application's.
std::shared_ptr<KeptPipeline> keep(std::shared_ptr<SequenceLayout> layout, SharedWords words,
                                   const VkComputePipelineCreateInfo& info);

}  // namespace millrace::layer

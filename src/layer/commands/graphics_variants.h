// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines that find out by themselves which sequence of generated draws they run for.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <optional>
#include <vector>

#include "commands/shader_variants.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/render_passes.h"

namespace millrace::layer {

class KeptPipeline;

// None for a stage that generated draws cannot have.
std::optional<spv::ExecutionModel> modelOf(VkShaderStageFlagBits stage);

// Code of the stages; none if the layer does not have all of it, or a stage is none of generated commands.
std::optional<std::vector<commands::StageCode>> codeOf(const Device& device, const VkGraphicsPipelineCreateInfo& info);

// A whole pipeline, whose stages have `code`. What `info` leads to is copied, but for handles of the application's.
// `renderPass`: null with dynamic rendering. Null if there is no vertex shader.
std::shared_ptr<KeptPipeline> keep(std::shared_ptr<SequenceLayout> layout, std::shared_ptr<RenderPass> renderPass,
                                   std::vector<commands::StageCode> code, const VkGraphicsPipelineCreateInfo& info);

}  // namespace millrace::layer

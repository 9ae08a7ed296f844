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
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

class KeptPipeline;

// None for a stage that generated draws cannot have.
std::optional<spv::ExecutionModel> modelOf(VkShaderStageFlagBits stage);

// Of stages together.
bool hasStage(const std::vector<commands::StageCode>& code, spv::ExecutionModel model);
// True if they have a mesh shader that the layer runs.
bool runsMeshes(const Device& device, const std::vector<commands::StageCode>& code);
std::vector<SharedWords> wordsOf(const std::vector<commands::StageCode>& code);
// Why a layout does not go with them, or null.
const char* obstacleOf(const std::vector<commands::StageCode>& code, const commands::Layout& layout);
// What variants of them have to know of the device.
commands::VariantTarget targetOf(const Device& device, const std::vector<commands::StageCode>& code);

}  // namespace millrace::layer

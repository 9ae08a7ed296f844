// SPDX-License-Identifier: Apache-2.0
// Code that the layer has made of the application's shaders and gives to the driver: it counts what it does as the
// application's own would (ShaderCounter).
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <vector>

#include "layer/objects/shader_modules.h"

namespace millrace::layer {

struct Device;

// `words`: of the stages, whose own code means nothing. As they are where nobody counts.
std::vector<SharedWords> countedCode(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages,
                                     std::vector<SharedWords> words);

}  // namespace millrace::layer

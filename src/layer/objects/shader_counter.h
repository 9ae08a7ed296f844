// SPDX-License-Identifier: Apache-2.0
// Shaders of the application that count what they do, in place of those that it gave (setting "trace").
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <vector>

#include "layer/objects/pipeline_maker.h"
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

// Thread-safe.
class ShaderCounter {
public:
    // True if the stage may be one of those.
    virtual bool counts(VkShaderStageFlagBits stage) const = 0;
    // Of the stages of a pipeline: code that counts; null for stages that stay as they are.
    virtual std::vector<SharedWords> count(std::span<const VkPipelineShaderStageCreateInfo> stages) = 0;
    // Of shader objects: puts it into the structures.
    virtual void count(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) = 0;
    // Tells what was counted. When the device has finished something.
    virtual void drain() = 0;

protected:
    ~ShaderCounter() = default;
};

}  // namespace millrace::layer

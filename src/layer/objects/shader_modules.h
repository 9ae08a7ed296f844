// SPDX-License-Identifier: Apache-2.0
// Shader modules that may become nodes.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/loader/device.h"
#include "spirv/tools.h"

namespace millrace::layer {

using spirv::SharedWords;

// A copy of a module's SPIR-V: modules with a capability of ours, which the driver never sees (`ours`), and modules
// with a compute entry point, since a plain compute shader can be a node as well. All of them where commands are
// generated, mesh shaders run, or there may be mesh nodes.
struct ShaderModule {
    SharedWords words;
    bool ours = false;
    bool enqueues = false;  // ShaderEnqueueAMDX
};

// True if the code has mesh or task shaders, or fragment shaders that read what is per primitive, so that a driver
// without VK_EXT_mesh_shader must not see it.
bool declaresMeshShading(std::span<const uint32_t> words);

bool hasComputeEntryPoint(std::span<const uint32_t> words);

// A node's shader code: a module, or VkShaderModuleCreateInfo chained to the stage. Null if the layer has neither.
SharedWords wordsOf(const Device& device, const VkPipelineShaderStageCreateInfo& stage);

// The same where the layer runs mesh shaders.
bool isOfMeshShading(const Device& device, const VkPipelineShaderStageCreateInfo& stage);

// True if the stage's code declares ShaderEnqueueAMDX, so that the driver must not see it.
bool usesShaderEnqueue(const Device& device, const VkPipelineShaderStageCreateInfo& stage);

}  // namespace millrace::layer

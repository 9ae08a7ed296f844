// SPDX-License-Identifier: Apache-2.0
// Compute pipelines of the layer's own shaders.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace millrace::layer {

struct Device;

// A layout with push constants of so many bytes for compute shaders, and nothing else.
VkResult createKernelLayout(const Device& device, uint32_t pushBytes, const char* name, VkPipelineLayout& out);
// The words are those of a shader with an entry point "main"; where the device has no 64-bit integers, it goes without.
// `groupSize`: of its specialization constant 0; 0: the shader says it.
VkResult createKernel(const Device& device, std::span<const uint32_t> words, VkPipelineLayout layout, const char* name,
                      VkPipeline& out, uint32_t groupSize = 0);

}  // namespace millrace::layer

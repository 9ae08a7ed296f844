// SPDX-License-Identifier: Apache-2.0
// Vertex input and vertex buffers that a command buffer has set.
#pragma once

#include <vulkan/vulkan.h>

#include <span>

#include "layer/recording/state_log.h"

namespace millrace::layer {

// What vkCmdSetVertexInputEXT has set, without chains; valid until something is recorded.
struct DynamicVertexInput {
    std::span<const VkVertexInputBindingDescription2EXT> bindings;
    std::span<const VkVertexInputAttributeDescription2EXT> attributes;
};
DynamicVertexInput vertexInputOf(const StateLog& log);

// Gives the command again.
void restoreVertexInput(const StateLog& log, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer);

}  // namespace millrace::layer

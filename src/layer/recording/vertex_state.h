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

// Gives all commands again that set what pipelines with mesh shaders do not have: topology, vertex input and buffers.
void restoreVertexState(const StateLog& log, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer);

// What is bound to a binding.
struct VertexBufferBinding {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize size = VK_WHOLE_SIZE;  // from there on
    VkDeviceSize stride = 0;            // where it is dynamic
};
VertexBufferBinding vertexBufferOf(const StateLog& log, uint32_t binding);

// True if vkCmdSetPrimitiveRestartEnable has switched it on.
bool restartsPrimitives(const StateLog& log);

}  // namespace millrace::layer

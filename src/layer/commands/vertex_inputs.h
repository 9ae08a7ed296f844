// SPDX-License-Identifier: Apache-2.0
// Vertex input of pipelines and of shader objects: what of it shaders fetch themselves, and what is left.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <vector>

#include "commands/layout.h"
#include "commands/vertex_input.h"
#include "layer/recording/vertex_state.h"

namespace millrace::layer {

// What shaders have to know to fetch attributes themselves.
commands::VertexInput inputOf(const VkPipelineVertexInputStateCreateInfo& state, bool hasDynamicStrides);
commands::VertexInput inputOf(const DynamicVertexInput& state);

// That of a pipeline without what shaders fetch themselves.
class RemainingInput {
public:
    RemainingInput(const VkPipelineVertexInputStateCreateInfo& state, const commands::Layout& layout);
    RemainingInput(const RemainingInput&) = delete;
    RemainingInput& operator=(const RemainingInput&) = delete;

    const VkPipelineVertexInputStateCreateInfo* get() const { return &m_state; }

private:
    void takeDivisors(const commands::Layout& layout);

    VkPipelineVertexInputStateCreateInfo m_state;
    std::vector<VkVertexInputBindingDescription> m_bindings;
    std::vector<VkVertexInputAttributeDescription> m_attributes;
    std::vector<VkVertexInputBindingDivisorDescription> m_divisors;
    VkPipelineVertexInputDivisorStateCreateInfo m_divisorState{
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO};
};

// The same where it is dynamic: sets it.
void setRemainingInput(const DynamicVertexInput& state, const commands::Layout& layout,
                       const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer);

}  // namespace millrace::layer

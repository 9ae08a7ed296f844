// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/vertex_inputs.h"

#include <algorithm>
#include <span>

#include "layer/chains/chain.h"

namespace millrace::layer {

namespace {

template <typename Description>
void removePulled(std::vector<Description>& descriptions, const commands::Layout& layout)
{
    std::erase_if(descriptions, [&](const Description& given) {
        return layout.indexBuffer ||
               std::ranges::count(layout.vertexBuffers, given.binding, &commands::VertexBuffer::binding) > 0;
    });
}

}  // namespace

commands::VertexInput inputOf(const VkPipelineVertexInputStateCreateInfo& state, bool hasDynamicStrides)
{
    const auto* divisors = findInChain<VkPipelineVertexInputDivisorStateCreateInfo>(
        state.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
    commands::VertexInput input;
    for (const VkVertexInputBindingDescription& given :
         std::span(state.pVertexBindingDescriptions, state.vertexBindingDescriptionCount)) {
        commands::VertexBinding& binding = input.bindings.emplace_back();
        binding.binding = given.binding;
        if (!hasDynamicStrides)
            binding.strideBytes = given.stride;
        binding.isPerInstance = given.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
        for (uint32_t i = 0; divisors && i < divisors->vertexBindingDivisorCount; ++i)
            if (divisors->pVertexBindingDivisors[i].binding == given.binding)
                binding.divisor = divisors->pVertexBindingDivisors[i].divisor;
    }
    for (const VkVertexInputAttributeDescription& given :
         std::span(state.pVertexAttributeDescriptions, state.vertexAttributeDescriptionCount))
        input.attributes.push_back({given.location, given.binding, static_cast<uint32_t>(given.format), given.offset});
    return input;
}

// Strides of vertex buffers are dynamic then, too.
commands::VertexInput inputOf(const DynamicVertexInput& state)
{
    commands::VertexInput input;
    for (const VkVertexInputBindingDescription2EXT& given : state.bindings)
        input.bindings.push_back(
            {given.binding, std::nullopt, given.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE, given.divisor});
    for (const VkVertexInputAttributeDescription2EXT& given : state.attributes)
        input.attributes.push_back({given.location, given.binding, static_cast<uint32_t>(given.format), given.offset});
    return input;
}

RemainingInput::RemainingInput(const VkPipelineVertexInputStateCreateInfo& state, const commands::Layout& layout)
    : m_state(state)
{
    m_bindings.assign(state.pVertexBindingDescriptions,
                      state.pVertexBindingDescriptions + state.vertexBindingDescriptionCount);
    m_attributes.assign(state.pVertexAttributeDescriptions,
                        state.pVertexAttributeDescriptions + state.vertexAttributeDescriptionCount);
    removePulled(m_bindings, layout);
    removePulled(m_attributes, layout);
    m_state.vertexBindingDescriptionCount = static_cast<uint32_t>(m_bindings.size());
    m_state.pVertexBindingDescriptions = m_bindings.data();
    m_state.vertexAttributeDescriptionCount = static_cast<uint32_t>(m_attributes.size());
    m_state.pVertexAttributeDescriptions = m_attributes.data();
    takeDivisors(layout);
}

// Nothing else that is known extends the structure.
void RemainingInput::takeDivisors(const commands::Layout& layout)
{
    const auto* given = findInChain<VkPipelineVertexInputDivisorStateCreateInfo>(
        m_state.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
    m_state.pNext = nullptr;
    if (!given)
        return;
    m_divisors.assign(given->pVertexBindingDivisors, given->pVertexBindingDivisors + given->vertexBindingDivisorCount);
    removePulled(m_divisors, layout);
    m_divisorState.vertexBindingDivisorCount = static_cast<uint32_t>(m_divisors.size());
    m_divisorState.pVertexBindingDivisors = m_divisors.data();
    if (!m_divisors.empty())
        m_state.pNext = &m_divisorState;
}

void setRemainingInput(const DynamicVertexInput& state, const commands::Layout& layout,
                       const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    std::vector<VkVertexInputBindingDescription2EXT> bindings(state.bindings.begin(), state.bindings.end());
    std::vector<VkVertexInputAttributeDescription2EXT> attributes(state.attributes.begin(), state.attributes.end());
    removePulled(bindings, layout);
    removePulled(attributes, layout);
    table.CmdSetVertexInputEXT(commandBuffer, static_cast<uint32_t>(bindings.size()), bindings.data(),
                               static_cast<uint32_t>(attributes.size()), attributes.data());
}

}  // namespace millrace::layer

// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/graphics_variants.h"

#include <vulkan/utility/vk_safe_struct.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>

#include "commands/vertex_input.h"
#include "layer/chains/chain.h"
#include "layer/chains/chain_copy.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/commands/variant_flags.h"
#include "layer/loader/device.h"
#include "layer/objects/render_passes.h"
#include "layer/objects/shader_modules.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

std::optional<spv::ExecutionModel> modelOf(VkShaderStageFlagBits stage)
{
    switch (stage) {
        case VK_SHADER_STAGE_VERTEX_BIT:
            return spv::ExecutionModel::Vertex;
        case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
            return spv::ExecutionModel::TessellationControl;
        case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
            return spv::ExecutionModel::TessellationEvaluation;
        case VK_SHADER_STAGE_GEOMETRY_BIT:
            return spv::ExecutionModel::Geometry;
        case VK_SHADER_STAGE_FRAGMENT_BIT:
            return spv::ExecutionModel::Fragment;
        default:
            return std::nullopt;
    }
}

// What shaders have to know to fetch attributes themselves.
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

bool hasDynamicState(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state)
{
    const VkPipelineDynamicStateCreateInfo* dynamic = info.pDynamicState;
    return dynamic && std::ranges::count(std::span(dynamic->pDynamicStates, dynamic->dynamicStateCount), state) > 0;
}

// The vertex input without what shaders fetch themselves.
class RemainingInput {
public:
    RemainingInput(const VkPipelineVertexInputStateCreateInfo& state, const commands::Layout& layout) : m_state(state)
    {
        const auto isPulled = [&](const auto& given) {
            return std::ranges::count(layout.vertexBuffers, given.binding, &commands::VertexBuffer::binding) > 0;
        };
        m_bindings.assign(state.pVertexBindingDescriptions,
                          state.pVertexBindingDescriptions + state.vertexBindingDescriptionCount);
        m_attributes.assign(state.pVertexAttributeDescriptions,
                            state.pVertexAttributeDescriptions + state.vertexAttributeDescriptionCount);
        std::erase_if(m_bindings, isPulled);
        std::erase_if(m_attributes, isPulled);
        m_state.vertexBindingDescriptionCount = static_cast<uint32_t>(m_bindings.size());
        m_state.pVertexBindingDescriptions = m_bindings.data();
        m_state.vertexAttributeDescriptionCount = static_cast<uint32_t>(m_attributes.size());
        m_state.pVertexAttributeDescriptions = m_attributes.data();
        removeDivisors(isPulled);
    }
    RemainingInput(const RemainingInput&) = delete;
    RemainingInput& operator=(const RemainingInput&) = delete;

    const VkPipelineVertexInputStateCreateInfo* get() const { return &m_state; }

private:
    // Nothing else that is known extends the structure.
    template <typename IsPulled>
    void removeDivisors(const IsPulled& isPulled)
    {
        const auto* given = findInChain<VkPipelineVertexInputDivisorStateCreateInfo>(
            m_state.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
        m_state.pNext = nullptr;
        if (!given)
            return;
        m_divisors.assign(given->pVertexBindingDivisors,
                          given->pVertexBindingDivisors + given->vertexBindingDivisorCount);
        std::erase_if(m_divisors, isPulled);
        m_divisorState.vertexBindingDivisorCount = static_cast<uint32_t>(m_divisors.size());
        m_divisorState.pVertexBindingDivisors = m_divisors.data();
        if (!m_divisors.empty())
            m_state.pNext = &m_divisorState;
    }

    VkPipelineVertexInputStateCreateInfo m_state;
    std::vector<VkVertexInputBindingDescription> m_bindings;
    std::vector<VkVertexInputAttributeDescription> m_attributes;
    std::vector<VkVertexInputBindingDivisorDescription> m_divisors;
    VkPipelineVertexInputDivisorStateCreateInfo m_divisorState{
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO};
};

class KeptGraphics final : public KeptPipeline {
public:
    KeptGraphics(std::shared_ptr<SequenceLayout> layout, std::shared_ptr<RenderPass> renderPass,
                 std::vector<commands::StageCode> code, const VkGraphicsPipelineCreateInfo& info)
        : KeptPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, std::move(layout)),
          m_renderPass(std::move(renderPass)),
          m_code(std::move(code)),
          m_info(&info, true, true, nullptr, false),
          m_chain(info.pNext),
          m_flags(variantFlags(info.pNext, info.flags))
    {
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
        // The application reads it when its own pipeline has been made.
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount)) {
            ChainCopy& chain = m_stageChains.emplace_back(stage.pNext);
            chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
            chain.remove(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
        }
    }

protected:
    VkResult create(const commands::Layout& layout, VkPipeline& out) const override
    {
        commands::VariantTarget target;
        target.interfaceLocations = device().support.interfaceLocations;
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        const bool pulls = !layout.vertexBuffers.empty();
        if (pulls && (!own.pVertexInputState || hasDynamicState(own, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)))
            return refuse(
                "its vertex input is dynamic (VK_DYNAMIC_STATE_VERTEX_INPUT_EXT), and the layout has the "
                "token VERTEX_BUFFER");
        const commands::VertexInput input =
            pulls ? inputOf(*own.pVertexInputState, hasDynamicState(own, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE))
                  : commands::VertexInput();
        const Result<std::vector<commands::StageCode>> code = commands::makeDrawVariant(m_code, layout, target, input);
        if (!code)
            return refuse(code.error().text());
        std::deque<TransientModule> modules;
        std::vector<VkPipelineShaderStageCreateInfo> stages;
        for (size_t i = 0; i < code->size(); ++i) {
            const TransientModule& module = modules.emplace_back(device(), (*code)[i].words);
            if (module.result() != VK_SUCCESS)
                return module.result();
            device().names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {"variant for generated commands"});
            VkPipelineShaderStageCreateInfo& stage = stages.emplace_back(m_info.ptr()->pStages[i]);
            stage.pNext = m_stageChains[i].get();
            stage.module = module.handle();
        }
        std::optional<RemainingInput> remaining;
        VkGraphicsPipelineCreateInfo info = own;
        if (pulls)
            info.pVertexInputState = remaining.emplace(*own.pVertexInputState, layout).get();
        info.pNext = m_chain.get();
        info.flags = m_flags;
        info.pStages = stages.data();
        info.layout = this->layout().handle;
        info.renderPass = m_renderPass ? m_renderPass->handle : VK_NULL_HANDLE;
        info.basePipelineHandle = VK_NULL_HANDLE;
        info.basePipelineIndex = -1;
        return device().table.CreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(),
                                                      &out);
    }

private:
    const std::shared_ptr<RenderPass> m_renderPass;  // null with dynamic rendering
    const std::vector<commands::StageCode> m_code;
    const vku::safe_VkGraphicsPipelineCreateInfo m_info;  // without chain; modules may be gone
    ChainCopy m_chain;
    std::vector<ChainCopy> m_stageChains;
    const VkPipelineCreateFlags m_flags;
};

}  // namespace

std::optional<std::vector<commands::StageCode>> codeOf(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    std::vector<commands::StageCode> stages;
    for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount)) {
        const std::optional<spv::ExecutionModel> model = modelOf(stage.stage);
        const SharedWords words = wordsOf(device, stage);
        if (!model || !words)
            return std::nullopt;
        stages.push_back({*model, stage.pName, *words});
    }
    return stages;
}

std::shared_ptr<KeptPipeline> keep(std::shared_ptr<SequenceLayout> layout, std::shared_ptr<RenderPass> renderPass,
                                   std::vector<commands::StageCode> code, const VkGraphicsPipelineCreateInfo& info)
{
    if (std::ranges::count(code, spv::ExecutionModel::Vertex, &commands::StageCode::model) == 0)
        return nullptr;
    return std::make_shared<KeptGraphics>(std::move(layout), std::move(renderPass), std::move(code), info);
}

std::shared_ptr<KeptPipeline> keep(Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    std::shared_ptr<SequenceLayout> layout = sequenceLayoutOf(device, info.layout);
    if (!layout)
        return nullptr;
    std::optional<std::vector<commands::StageCode>> code = codeOf(device, info);
    if (!code)
        return nullptr;
    std::shared_ptr<RenderPass> renderPass = device.renderPasses.share(handleId(info.renderPass));
    if (info.renderPass && !(renderPass && renderPass->handle))
        return nullptr;
    return keep(std::move(layout), std::move(renderPass), std::move(*code), info);
}

}  // namespace millrace::layer

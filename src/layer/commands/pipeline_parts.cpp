// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/pipeline_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/chains/chain.h"
#include "layer/chains/chain_copy.h"
#include "layer/commands/graphics_variants.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_flags.h"
#include "layer/objects/pipeline_layouts.h"

namespace millrace::layer {

namespace {

using Subsets = VkGraphicsPipelineLibraryFlagsEXT;
constexpr Subsets kInput = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT;
constexpr Subsets kBefore = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
constexpr Subsets kFragment = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
constexpr Subsets kOutput = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
constexpr Subsets kAll = kInput | kBefore | kFragment | kOutput;

// How a library is made and linked is not what the pipeline is.
constexpr VkPipelineCreateFlags2 kOfLinking = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR |
                                              VK_PIPELINE_CREATE_2_LINK_TIME_OPTIMIZATION_BIT_EXT |
                                              VK_PIPELINE_CREATE_2_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;

// Libraries mostly list the dynamic state of the whole pipeline, but each speaks for its subsets alone.
Subsets subsetsOf(VkDynamicState state)
{
    switch (state) {
        case VK_DYNAMIC_STATE_VERTEX_INPUT_EXT:
        case VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE:
        case VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY:
        case VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE:
            return kInput;
        case VK_DYNAMIC_STATE_VIEWPORT:
        case VK_DYNAMIC_STATE_SCISSOR:
        case VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT:
        case VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT:
        case VK_DYNAMIC_STATE_LINE_WIDTH:
        case VK_DYNAMIC_STATE_DEPTH_BIAS:
        case VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE:
        case VK_DYNAMIC_STATE_CULL_MODE:
        case VK_DYNAMIC_STATE_FRONT_FACE:
        case VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE:
        case VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT:
        case VK_DYNAMIC_STATE_POLYGON_MODE_EXT:
        case VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT:
            return kBefore;
        case VK_DYNAMIC_STATE_DEPTH_BOUNDS:
        case VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE:
        case VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE:
        case VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE:
        case VK_DYNAMIC_STATE_DEPTH_COMPARE_OP:
        case VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE:
        case VK_DYNAMIC_STATE_STENCIL_OP:
        case VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK:
        case VK_DYNAMIC_STATE_STENCIL_WRITE_MASK:
        case VK_DYNAMIC_STATE_STENCIL_REFERENCE:
            return kFragment;
        case VK_DYNAMIC_STATE_BLEND_CONSTANTS:
        case VK_DYNAMIC_STATE_LOGIC_OP_EXT:
        case VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT:
        case VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT:
        case VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT:
        case VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT:
        case VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT:
        case VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT:
            return kOutput;
        default:
            return kAll;  // of several subsets, or newer than this
    }
}

// What is not of the subsets may lead anywhere.
VkGraphicsPipelineCreateInfo onlyOf(Subsets subsets, const VkGraphicsPipelineCreateInfo& given)
{
    VkGraphicsPipelineCreateInfo info = given;
    if (!(subsets & kInput)) {
        info.pVertexInputState = nullptr;
        info.pInputAssemblyState = nullptr;
    }
    if (!(subsets & kBefore)) {
        info.pTessellationState = nullptr;
        info.pViewportState = nullptr;
        info.pRasterizationState = nullptr;
    }
    if (!(subsets & kFragment))
        info.pDepthStencilState = nullptr;
    if (!(subsets & (kFragment | kOutput)))
        info.pMultisampleState = nullptr;
    if (!(subsets & kOutput))
        info.pColorBlendState = nullptr;
    if (!(subsets & (kBefore | kFragment)))
        info.stageCount = 0;
    return info;
}

}  // namespace

// A safe structure keeps pointers by the rules of whole pipelines unless it sees that it is a library's.
class GraphicsPart {
public:
    GraphicsPart(const Device& device, Subsets subsets, const VkGraphicsPipelineCreateInfo& info,
                 std::vector<commands::StageCode> code)
        : subsets(subsets),
          code(std::move(code)),
          layout(sequenceLayoutOf(device, info.layout)),
          renderPass(device.renderPasses.share(handleId(info.renderPass))),
          hasRenderPass(info.renderPass != VK_NULL_HANDLE),
          flags(pipelineFlags(info.pNext, info.flags) & ~kOfLinking),
          m_info(&info, true, true)
    {
    }

    const VkGraphicsPipelineCreateInfo& info() const { return *m_info.ptr(); }

    const Subsets subsets;
    const std::vector<commands::StageCode> code;
    const std::shared_ptr<SequenceLayout> layout;  // null if it has none
    const std::shared_ptr<RenderPass> renderPass;
    const bool hasRenderPass;
    const VkPipelineCreateFlags2 flags;

private:
    vku::safe_VkGraphicsPipelineCreateInfo m_info;
};

namespace {

// The parts as one structure.
class Linked {
public:
    Linked(const VkGraphicsPipelineCreateInfo& own, const GraphicsParts& parts) : m_parts(parts)
    {
        m_flags = pipelineFlags(own.pNext, own.flags) & ~kOfLinking;
        m_info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
        for (const Subsets subset : {kOutput, kBefore, kFragment, kInput})
            for (const std::shared_ptr<const GraphicsPart>& part : parts)
                if (part->subsets & subset)
                    take(subset, *part);
        dropFlags2();
        m_info.pNext = m_chain.get();
        m_info.flags = static_cast<VkPipelineCreateFlags>(m_flags);
        m_info.stageCount = static_cast<uint32_t>(m_stages.size());
        m_info.pStages = m_stages.data();
        m_dynamic.dynamicStateCount = static_cast<uint32_t>(m_states.size());
        m_dynamic.pDynamicStates = m_states.data();
        m_info.pDynamicState = &m_dynamic;
    }
    Linked(const Linked&) = delete;
    Linked& operator=(const Linked&) = delete;

    const VkGraphicsPipelineCreateInfo& info() const { return m_info; }
    std::vector<commands::StageCode> takeCode() { return std::move(m_code); }
    const GraphicsPart* find(Subsets subset) const
    {
        const auto found = std::ranges::find_if(m_parts, [=](const auto& part) { return part->subsets & subset; });
        return found == m_parts.end() ? nullptr : found->get();
    }

private:
    void take(Subsets subset, const GraphicsPart& part)
    {
        const VkGraphicsPipelineCreateInfo& from = part.info();
        m_flags |= part.flags;
        m_chain.takeOthers(ChainCopy(from.pNext));
        if (subset == kInput) {
            m_info.pVertexInputState = from.pVertexInputState;
            m_info.pInputAssemblyState = from.pInputAssemblyState;
        } else if (subset == kBefore) {
            m_info.pTessellationState = from.pTessellationState;
            m_info.pViewportState = from.pViewportState;
            m_info.pRasterizationState = from.pRasterizationState;
        } else if (subset == kFragment) {
            m_info.pDepthStencilState = from.pDepthStencilState;
        } else {
            m_info.pColorBlendState = from.pColorBlendState;
            m_info.renderPass = from.renderPass;
            m_info.subpass = from.subpass;
        }
        if (!m_info.pMultisampleState)
            m_info.pMultisampleState = from.pMultisampleState;
        takeStages(subset, part);
        const VkPipelineDynamicStateCreateInfo* dynamic = from.pDynamicState;
        for (uint32_t i = 0; dynamic && i < dynamic->dynamicStateCount; ++i)
            if ((subsetsOf(dynamic->pDynamicStates[i]) & subset) &&
                std::ranges::count(m_states, dynamic->pDynamicStates[i]) == 0)
                m_states.push_back(dynamic->pDynamicStates[i]);
    }

    void takeStages(Subsets subset, const GraphicsPart& part)
    {
        for (uint32_t i = 0; i < part.info().stageCount; ++i) {
            const bool isFragment = part.info().pStages[i].stage == VK_SHADER_STAGE_FRAGMENT_BIT;
            if (subset != (isFragment ? kFragment : kBefore))
                continue;
            m_stages.push_back(part.info().pStages[i]);
            m_code.push_back(part.code[i]);
        }
    }

    void dropFlags2()
    {
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
        m_chain.remove(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    }

    const GraphicsParts& m_parts;
    VkGraphicsPipelineCreateInfo m_info{};
    ChainCopy m_chain;
    VkPipelineCreateFlags2 m_flags = 0;
    std::vector<VkPipelineShaderStageCreateInfo> m_stages;
    std::vector<commands::StageCode> m_code;
    std::vector<VkDynamicState> m_states;
    VkPipelineDynamicStateCreateInfo m_dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
};

// Has each set that the other one has.
bool covers(const SequenceLayout& layout, const SequenceLayout& other)
{
    if (layout.sets.size() < other.sets.size() || layout.pushConstantBytes < other.pushConstantBytes)
        return false;
    for (size_t i = 0; i < other.sets.size(); ++i)
        if (other.sets[i] && !isSameSetLayout(layout.sets[i].get(), other.sets[i].get()))
            return false;
    return true;
}

std::shared_ptr<SequenceLayout> layoutOf(const Device& device, const VkGraphicsPipelineCreateInfo& own,
                                         const Linked& linked)
{
    if (std::shared_ptr<SequenceLayout> said = sequenceLayoutOf(device, own.layout))
        return said;
    const GraphicsPart* before = linked.find(kBefore);
    const GraphicsPart* fragment = linked.find(kFragment);
    const std::shared_ptr<SequenceLayout> first = before ? before->layout : nullptr;
    const std::shared_ptr<SequenceLayout> second = fragment ? fragment->layout : nullptr;
    if (!first || !second)
        return first ? first : second;
    return covers(*first, *second) ? first : covers(*second, *first) ? second : nullptr;
}

}  // namespace

Subsets ownSubsets(const VkGraphicsPipelineCreateInfo& info)
{
    if (const auto* library = findInChain<VkGraphicsPipelineLibraryCreateInfoEXT>(
            info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
        return library->flags;
    const auto* libraries =
        findInChain<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    const bool isLibrary = pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    return isLibrary || (libraries && libraries->libraryCount > 0) ? 0 : kAll;
}

std::shared_ptr<const GraphicsPart> createPart(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    const Subsets subsets = ownSubsets(info);
    const VkGraphicsPipelineCreateInfo own = onlyOf(subsets, info);
    std::optional<std::vector<commands::StageCode>> code = codeOf(device, own);
    if (!code)
        return nullptr;
    return std::make_shared<GraphicsPart>(device, subsets, own, std::move(*code));
}

std::shared_ptr<KeptPipeline> link(Device& device, const VkGraphicsPipelineCreateInfo& info, const GraphicsParts& parts)
{
    Linked linked(info, parts);
    std::shared_ptr<SequenceLayout> layout = layoutOf(device, info, linked);
    const GraphicsPart* output = linked.find(kOutput);
    const GraphicsPart* pass = output ? output : linked.find(kBefore);
    if (!layout || !pass)
        return nullptr;
    if (pass->hasRenderPass && !(pass->renderPass && pass->renderPass->handle))
        return nullptr;
    return keep(std::move(layout), pass->renderPass, linked.takeCode(), linked.info());
}

}  // namespace millrace::layer

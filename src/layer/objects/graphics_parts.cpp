// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/graphics_parts.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_flags.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/render_passes.h"

namespace millrace::layer {

namespace {

using Subsets = GraphicsSubsets;
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

// A state that a copy goes without is ignored, and may lead anywhere.
template <typename Struct>
void addMissing(const Struct* original, const Struct* copy, StructureTypes& missing)
{
    if (copy && original)
        addStructures(missing, missingStructures(original->pNext, copy->pNext));
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
    GraphicsPart(const Device& device, Subsets subsets, const VkGraphicsPipelineCreateInfo& info)
        : subsets(subsets),
          layout(sequenceLayoutOf(device, info.layout)),
          renderPass(device.renderPasses.share(handleId(info.renderPass))),
          hasRenderPass(info.renderPass != VK_NULL_HANDLE),
          flags(pipelineFlags(info.pNext, info.flags) & ~kOfLinking),
          m_info(&info, true, true),
          notKept(missingInside(info, *m_info.ptr()))
    {
        addStructures(notKept, missingStructures(info.pNext, m_info.pNext));
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount))
            words.push_back(wordsOf(device, stage));
    }

    const VkGraphicsPipelineCreateInfo& info() const { return *m_info.ptr(); }

    const Subsets subsets;
    std::vector<SharedWords> words;                // of the stages
    const std::shared_ptr<SequenceLayout> layout;  // null if it has none
    const std::shared_ptr<RenderPass> renderPass;
    const bool hasRenderPass;
    const VkPipelineCreateFlags2 flags;

private:
    vku::safe_VkGraphicsPipelineCreateInfo m_info;

public:
    StructureTypes notKept;  // of the structure's
};

namespace {

const VkPipelineLibraryCreateInfoKHR* librariesOf(const VkGraphicsPipelineCreateInfo& info)
{
    return findInChain<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
}

// Subsets of the state that the structure itself has, not its libraries: all of a pipeline without libraries.
Subsets ownSubsets(const VkGraphicsPipelineCreateInfo& info)
{
    if (const auto* library = findInChain<VkGraphicsPipelineLibraryCreateInfoEXT>(
            info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
        return library->flags;
    return isLibrary(info) || hasLibraries(info) ? 0 : kAll;
}

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

}  // namespace

bool isLibrary(const VkGraphicsPipelineCreateInfo& info)
{
    return pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
}

bool hasLibraries(const VkGraphicsPipelineCreateInfo& info)
{
    const VkPipelineLibraryCreateInfoKHR* libraries = librariesOf(info);
    return libraries && libraries->libraryCount > 0;
}

GraphicsParts partsOf(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    GraphicsParts parts;
    const VkPipelineLibraryCreateInfoKHR* libraries = librariesOf(info);
    for (uint32_t i = 0; libraries && i < libraries->libraryCount; ++i) {
        const GraphicsParts* known = device.graphicsLibraries.find(handleId(libraries->pLibraries[i]));
        if (!known)
            return {};
        parts.insert(parts.end(), known->begin(), known->end());
    }
    // What only links may have structures as well, which are not to be forgotten.
    const Subsets own = ownSubsets(info);
    if (own != 0 || hasUnknownStructures(info.pNext))
        parts.push_back(std::make_shared<GraphicsPart>(device, own, onlyOf(own, info)));
    return parts;
}

StructureTypes missingInside(const VkGraphicsPipelineCreateInfo& original, const VkGraphicsPipelineCreateInfo& copy)
{
    StructureTypes missing;
    for (uint32_t i = 0; i < copy.stageCount; ++i)
        addMissing(&original.pStages[i], &copy.pStages[i], missing);
    addMissing(original.pVertexInputState, copy.pVertexInputState, missing);
    addMissing(original.pInputAssemblyState, copy.pInputAssemblyState, missing);
    addMissing(original.pTessellationState, copy.pTessellationState, missing);
    addMissing(original.pViewportState, copy.pViewportState, missing);
    addMissing(original.pRasterizationState, copy.pRasterizationState, missing);
    addMissing(original.pMultisampleState, copy.pMultisampleState, missing);
    addMissing(original.pDepthStencilState, copy.pDepthStencilState, missing);
    addMissing(original.pColorBlendState, copy.pColorBlendState, missing);
    addMissing(original.pDynamicState, copy.pDynamicState, missing);
    return missing;
}

void keepLibrary(Device& device, const VkGraphicsPipelineCreateInfo& info, VkPipeline library)
{
    if (!isLibrary(info) || !(device.usesCommands() || device.usesMesh() || device.usesMeshNodes()))
        return;
    GraphicsParts parts = partsOf(device, info);
    if (!parts.empty())
        device.graphicsLibraries.insert(handleId(library), std::make_shared<GraphicsParts>(std::move(parts)));
}

VkShaderStageFlags stagesOf(const GraphicsParts& parts)
{
    VkShaderStageFlags stages = 0;
    for (const std::shared_ptr<const GraphicsPart>& part : parts)
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(part->info().pStages, part->info().stageCount))
            stages |= stage.stage;
    return stages;
}

LinkedGraphics::LinkedGraphics(const Device& device, const VkGraphicsPipelineCreateInfo& own, GraphicsParts parts)
    : m_parts(std::move(parts))
{
    m_flags = pipelineFlags(own.pNext, own.flags) & ~kOfLinking;
    m_info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    for (const Subsets subset : {kOutput, kBefore, kFragment, kInput})
        for (const std::shared_ptr<const GraphicsPart>& part : m_parts)
            if (part->subsets & subset)
                take(subset, *part);
    m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    m_chain.remove(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    m_info.pNext = m_chain.get();
    m_info.flags = static_cast<VkPipelineCreateFlags>(m_flags);
    m_info.stageCount = static_cast<uint32_t>(m_stages.size());
    m_info.pStages = m_stages.data();
    m_dynamic.dynamicStateCount = static_cast<uint32_t>(m_states.size());
    m_dynamic.pDynamicStates = m_states.data();
    m_info.pDynamicState = &m_dynamic;
    m_info.renderPass = renderPass() ? renderPass()->handle : VK_NULL_HANDLE;
    m_info.basePipelineIndex = -1;
    m_layout = findLayout(device, own.layout);
}

void LinkedGraphics::take(Subsets subset, const GraphicsPart& part)
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
    }
    // All parts of a pipeline name the same one.
    if (subset != kInput)
        m_info.subpass = from.subpass;
    if (!m_info.pMultisampleState)
        m_info.pMultisampleState = from.pMultisampleState;
    takeStages(subset, part);
    const VkPipelineDynamicStateCreateInfo* dynamic = from.pDynamicState;
    for (uint32_t i = 0; dynamic && i < dynamic->dynamicStateCount; ++i)
        if ((subsetsOf(dynamic->pDynamicStates[i]) & subset) &&
            std::ranges::count(m_states, dynamic->pDynamicStates[i]) == 0)
            m_states.push_back(dynamic->pDynamicStates[i]);
}

void LinkedGraphics::takeStages(Subsets subset, const GraphicsPart& part)
{
    for (uint32_t i = 0; i < part.info().stageCount; ++i) {
        const bool isFragment = part.info().pStages[i].stage == VK_SHADER_STAGE_FRAGMENT_BIT;
        if (subset != (isFragment ? kFragment : kBefore))
            continue;
        m_stages.push_back(part.info().pStages[i]);
        m_words.push_back(part.words[i]);
    }
}

const GraphicsPart* LinkedGraphics::find(Subsets subset) const
{
    const auto found = std::ranges::find_if(m_parts, [=](const auto& part) { return part->subsets & subset; });
    return found == m_parts.end() ? nullptr : found->get();
}

const GraphicsPart* LinkedGraphics::passPart() const
{
    const GraphicsPart* output = find(kOutput);
    return output ? output : find(kBefore);
}

Subsets LinkedGraphics::subsets() const
{
    Subsets all = 0;
    for (const std::shared_ptr<const GraphicsPart>& part : m_parts)
        all |= part->subsets;
    return all;
}

StructureTypes LinkedGraphics::notKept() const
{
    StructureTypes all;
    for (const std::shared_ptr<const GraphicsPart>& part : m_parts)
        addStructures(all, part->notKept);
    return all;
}

std::shared_ptr<RenderPass> LinkedGraphics::renderPass() const
{
    const GraphicsPart* part = passPart();
    return part ? part->renderPass : nullptr;
}

bool LinkedGraphics::isUsable() const
{
    const GraphicsPart* part = passPart();
    return part && (!part->hasRenderPass || (part->renderPass && part->renderPass->handle));
}

std::shared_ptr<SequenceLayout> LinkedGraphics::findLayout(const Device& device, VkPipelineLayout said) const
{
    if (std::shared_ptr<SequenceLayout> own = sequenceLayoutOf(device, said))
        return own;
    const GraphicsPart* before = find(kBefore);
    const GraphicsPart* fragment = find(kFragment);
    const std::shared_ptr<SequenceLayout> first = before ? before->layout : nullptr;
    const std::shared_ptr<SequenceLayout> second = fragment ? fragment->layout : nullptr;
    if (!first || !second)
        return first ? first : second;
    return covers(*first, *second) ? first : covers(*second, *first) ? second : nullptr;
}

}  // namespace millrace::layer

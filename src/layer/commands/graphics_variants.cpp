// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines that find out by themselves which sequence of generated draws they run for.
#include <vulkan/utility/vk_safe_struct.hpp>

#include <deque>
#include <optional>
#include <span>

#include "commands/shader_variants.h"
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

// The stages with code, null if the layer does not have all of it or no vertex shader is among them.
std::optional<std::vector<commands::StageCode>> codeOf(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    std::vector<commands::StageCode> stages;
    bool hasVertices = false;
    for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount)) {
        const std::optional<spv::ExecutionModel> model = modelOf(stage.stage);
        const SharedWords words = wordsOf(device, stage);
        if (!model || !words)
            return std::nullopt;
        hasVertices |= *model == spv::ExecutionModel::Vertex;
        stages.push_back({*model, stage.pName, *words});
    }
    if (!hasVertices)
        return std::nullopt;
    return stages;
}

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
        const Result<std::vector<commands::StageCode>> code = commands::makeDrawVariant(m_code, layout, target);
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
        VkGraphicsPipelineCreateInfo info = *m_info.ptr();
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

std::shared_ptr<KeptPipeline> keep(Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    const PipelineLayout* layout = device.pipelineLayouts.find(handleId(info.layout));
    const bool hasLibraries =
        findInChain<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    const bool isLibrary = pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    if (!layout || !layout->sequences || hasLibraries || isLibrary)
        return nullptr;
    std::optional<std::vector<commands::StageCode>> code = codeOf(device, info);
    if (!code)
        return nullptr;
    std::shared_ptr<RenderPass> renderPass = device.renderPasses.share(handleId(info.renderPass));
    if (info.renderPass && !(renderPass && renderPass->handle))
        return nullptr;
    return std::make_shared<KeptGraphics>(layout->sequences, std::move(renderPass), std::move(*code), info);
}

}  // namespace millrace::layer

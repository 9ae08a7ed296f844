// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/graphics_variants.h"

#include <vulkan/utility/vk_safe_struct.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>

#include "layer/chains/chain.h"
#include "layer/chains/chain_copy.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/commands/variant_flags.h"
#include "layer/commands/vertex_inputs.h"
#include "layer/loader/device.h"
#include "layer/objects/counted_code.h"
#include "layer/objects/graphics_parts.h"
#include "layer/objects/render_passes.h"
#include "layer/objects/shader_modules.h"
#include "layer/objects/specialization.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"
#include "spirv/edit.h"

namespace millrace::layer {

namespace {

bool hasDynamicState(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state)
{
    const VkPipelineDynamicStateCreateInfo* dynamic = info.pDynamicState;
    return dynamic && std::ranges::count(std::span(dynamic->pDynamicStates, dynamic->dynamicStateCount), state) > 0;
}

constexpr char kCommand[] = "vkCreateGraphicsPipelines";

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
        cannotKeep(kCommand, missingStructures(info.pNext, m_chain.get()));
        cannotKeep(kCommand, missingInside(info, *m_info.ptr()));
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
        m_chain.remove(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV);
        // The application reads it when its own pipeline has been made.
        m_chain.remove(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount)) {
            ChainCopy& chain = m_stageChains.emplace_back(stage.pNext);
            chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
            chain.remove(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
        }
    }

    bool hasDynamicInput() const override { return hasDynamicState(*m_info.ptr(), VK_DYNAMIC_STATE_VERTEX_INPUT_EXT); }

    commands::VertexInput staticInput() const override
    {
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        if (hasDynamicInput() || !own.pVertexInputState)
            return {};
        return inputOf(*own.pVertexInputState, hasDynamicState(own, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE));
    }

    Restart primitiveRestart() const override
    {
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        if (hasDynamicState(own, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE))
            return Restart::Dynamic;
        return own.pInputAssemblyState && own.pInputAssemblyState->primitiveRestartEnable ? Restart::On : Restart::Off;
    }

    bool hasTask() const override { return hasStage(m_code, spv::ExecutionModel::TaskEXT); }

    std::vector<commands::StageCode> settledCode() const override
    {
        std::vector<commands::StageCode> settled = m_code;
        for (size_t i = 0; i < settled.size(); ++i) {
            auto module = spirv::read(settled[i].words);
            if (!module || !spirv::specialize(*module, constantsOf(m_info.ptr()->pStages[i].pSpecializationInfo)))
                return {};
            settled[i].words = spirv::write(*module);
        }
        return settled;
    }

    VkResult createOf(const std::vector<commands::StageCode>& code, const commands::Layout& layout,
                      VariantHandles& out) const override
    {
        std::vector<VkPipelineShaderStageCreateInfo> own = stages();
        for (VkPipelineShaderStageCreateInfo& stage : own)
            stage.pSpecializationInfo = nullptr;
        return finish(code, std::move(own), layout, out);
    }

protected:
    VkResult create(const commands::Layout& layout, const commands::VertexInput& dynamicInput,
                    VariantHandles& out) const override
    {
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        const bool pulls = pullsVertices(layout);
        const bool isStatic = pulls && !hasDynamicInput();
        if (isStatic && !own.pVertexInputState)
            return refuse(
                "it says nothing of its vertex input, and the layout has the token VERTEX_BUFFER or INDEX_BUFFER");
        const commands::VertexInput input = isStatic ? staticInput() : dynamicInput;
        if (const char* obstacle = obstacleOf(m_code, layout))
            return refuse(obstacle);
        const auto code = commands::makeDrawVariant(m_code, layout, targetOf(device(), m_code), input);
        if (!code)
            return refuse(code.error().text());
        return finish(*code, stages(), layout, out);
    }

    std::shared_ptr<KeptPipeline> createWithFrontFace(VkFrontFace face) const override
    {
        VkGraphicsPipelineCreateInfo info = *m_info.ptr();
        if (!info.pRasterizationState)
            return nullptr;
        std::vector<VkPipelineShaderStageCreateInfo> stages(info.pStages, info.pStages + info.stageCount);
        for (size_t i = 0; i < stages.size(); ++i)
            stages[i].pNext = m_stageChains[i].get();
        VkPipelineRasterizationStateCreateInfo raster = *info.pRasterizationState;
        raster.frontFace = face;
        std::vector<VkDynamicState> states;
        VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
        if (info.pDynamicState) {
            states.assign(info.pDynamicState->pDynamicStates,
                          info.pDynamicState->pDynamicStates + info.pDynamicState->dynamicStateCount);
            std::erase(states, VK_DYNAMIC_STATE_FRONT_FACE);
        }
        dynamic.dynamicStateCount = static_cast<uint32_t>(states.size());
        dynamic.pDynamicStates = states.data();
        info.pNext = m_chain.get();
        info.flags = m_flags;
        info.pStages = stages.data();
        info.pRasterizationState = &raster;
        info.pDynamicState = &dynamic;
        return std::make_shared<KeptGraphics>(sharedLayout(), m_renderPass, m_code, info);
    }

private:
    // Without their code.
    std::vector<VkPipelineShaderStageCreateInfo> stages() const
    {
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        std::vector<VkPipelineShaderStageCreateInfo> stages(own.pStages, own.pStages + own.stageCount);
        for (size_t i = 0; i < stages.size(); ++i) {
            stages[i].pNext = m_stageChains[i].get();
            stages[i].module = VK_NULL_HANDLE;
        }
        return stages;
    }

    VkResult finish(const std::vector<commands::StageCode>& code, std::vector<VkPipelineShaderStageCreateInfo> stages,
                    const commands::Layout& layout, VariantHandles& out) const
    {
        const VkGraphicsPipelineCreateInfo& own = *m_info.ptr();
        std::optional<RemainingInput> remaining;
        VkGraphicsPipelineCreateInfo info = own;
        if (pullsVertices(layout) && !hasDynamicInput() && own.pVertexInputState)
            info.pVertexInputState = remaining.emplace(*own.pVertexInputState, layout).get();
        return runsMeshes(device(), m_code) ? createDrawer(code, stages, info, out.drawer)
                                            : callDriver(code, std::move(stages), info, out.pipeline);
    }

    void complete(VkGraphicsPipelineCreateInfo& info, const std::vector<VkPipelineShaderStageCreateInfo>& stages) const
    {
        info.pNext = m_chain.get();
        info.flags = m_flags;
        info.pStages = stages.data();
        info.layout = this->layout().handle;
        info.renderPass = m_renderPass ? m_renderPass->handle : VK_NULL_HANDLE;
        info.basePipelineHandle = VK_NULL_HANDLE;
        info.basePipelineIndex = -1;
    }

    VkResult callDriver(const std::vector<commands::StageCode>& code, std::vector<VkPipelineShaderStageCreateInfo> own,
                        VkGraphicsPipelineCreateInfo& info, VkPipeline& out) const
    {
        std::deque<TransientModule> modules;
        const std::vector<SharedWords> words = countedCode(device(), own, wordsOf(code));
        for (size_t i = 0; i < code.size(); ++i) {
            const TransientModule& module = modules.emplace_back(device(), *words[i]);
            if (module.result() != VK_SUCCESS)
                return module.result();
            device().names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {"variant for generated commands"});
            own[i].module = module.handle();
        }
        complete(info, own);
        return device().table.CreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(),
                                                      &out);
    }

    VkResult createDrawer(const std::vector<commands::StageCode>& code,
                          const std::vector<VkPipelineShaderStageCreateInfo>& own, VkGraphicsPipelineCreateInfo& info,
                          std::shared_ptr<const ListDrawer>& out) const
    {
        complete(info, own);
        return device().pipelineMaker->createDrawer(info, wordsOf(code), sharedLayout(), VK_NULL_HANDLE, out);
    }

    const std::shared_ptr<RenderPass> m_renderPass;  // null with dynamic rendering
    const std::vector<commands::StageCode> m_code;
    const vku::safe_VkGraphicsPipelineCreateInfo m_info;  // without chain; modules may be gone
    ChainCopy m_chain;
    std::vector<ChainCopy> m_stageChains;
    const VkPipelineCreateFlags m_flags;
};

}  // namespace

bool hasStage(const std::vector<commands::StageCode>& code, spv::ExecutionModel model)
{
    return std::ranges::count(code, model, &commands::StageCode::model) > 0;
}

bool runsMeshes(const Device& device, const std::vector<commands::StageCode>& code)
{
    return device.usesMesh() && hasStage(code, spv::ExecutionModel::MeshEXT);
}

std::vector<SharedWords> wordsOf(const std::vector<commands::StageCode>& code)
{
    std::vector<SharedWords> words;
    for (const commands::StageCode& stage : code)
        words.push_back(std::make_shared<const spirv::Words>(stage.words));
    return words;
}

const char* obstacleOf(const std::vector<commands::StageCode>& code, const commands::Layout& layout)
{
    const bool fits = hasStage(code, spv::ExecutionModel::MeshEXT) == isMesh(layout.action);
    return fits ? nullptr : "a token for mesh tasks goes with mesh shaders, all other draws with vertex shaders";
}

commands::VariantTarget targetOf(const Device& device, const std::vector<commands::StageCode>& code)
{
    // Mesh shaders have outputs of so many locations wherever there are mesh shaders (maxMeshOutputComponents).
    constexpr uint32_t kMeshLocations = 127 / 4;
    commands::VariantTarget target;
    target.interfaceLocations = device.support.interfaceLocations;
    if (hasStage(code, spv::ExecutionModel::MeshEXT))
        target.interfaceLocations = std::min(target.interfaceLocations, kMeshLocations);
    return target;
}

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
        case VK_SHADER_STAGE_TASK_BIT_EXT:
            return spv::ExecutionModel::TaskEXT;
        case VK_SHADER_STAGE_MESH_BIT_EXT:
            return spv::ExecutionModel::MeshEXT;
        case VK_SHADER_STAGE_FRAGMENT_BIT:
            return spv::ExecutionModel::Fragment;
        default:
            return std::nullopt;
    }
}

namespace {

// None if the layer does not have all of it, or a stage is none of generated commands.
std::optional<std::vector<commands::StageCode>> codeOf(const VkGraphicsPipelineCreateInfo& info,
                                                       const std::vector<SharedWords>& words)
{
    std::vector<commands::StageCode> stages;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::optional<spv::ExecutionModel> model = modelOf(info.pStages[i].stage);
        if (!model || !words[i])
            return std::nullopt;
        stages.push_back({*model, info.pStages[i].pName, *words[i]});
    }
    return stages;
}

// A whole pipeline. `renderPass`: null with dynamic rendering. Null if there is neither vertex nor mesh shader.
std::shared_ptr<KeptPipeline> keepWhole(std::shared_ptr<SequenceLayout> layout, std::shared_ptr<RenderPass> renderPass,
                                        const std::vector<SharedWords>& words, const VkGraphicsPipelineCreateInfo& info)
{
    std::optional<std::vector<commands::StageCode>> code = codeOf(info, words);
    if (!layout || !code)
        return nullptr;
    if (!hasStage(*code, spv::ExecutionModel::Vertex) && !hasStage(*code, spv::ExecutionModel::MeshEXT))
        return nullptr;
    return std::make_shared<KeptGraphics>(std::move(layout), std::move(renderPass), std::move(*code), info);
}

}  // namespace

std::shared_ptr<KeptPipeline> keep(Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    if (hasLibraries(info)) {
        const LinkedGraphics linked(device, info, partsOf(device, info));
        if (!linked.isUsable())
            return nullptr;
        std::shared_ptr<KeptPipeline> kept =
            keepWhole(linked.layout(), linked.renderPass(), linked.words(), linked.info());
        if (kept)
            kept->cannotKeep(kCommand, linked.notKept());
        return kept;
    }
    std::shared_ptr<RenderPass> renderPass = device.renderPasses.share(handleId(info.renderPass));
    if (info.renderPass && !(renderPass && renderPass->handle))
        return nullptr;
    std::vector<SharedWords> words;
    for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount))
        words.push_back(wordsOf(device, stage));
    return keepWhole(sequenceLayoutOf(device, info.layout), std::move(renderPass), words, info);
}

}  // namespace millrace::layer

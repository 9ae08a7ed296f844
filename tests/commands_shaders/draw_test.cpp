// SPDX-License-Identifier: Apache-2.0
#include "commands_shaders/draw_test.h"

#include <algorithm>

#include "shaders/commands_shaders.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kSize = 8;  // of the framebuffer, in pixels

VkShaderStageFlagBits bitOf(spv::ExecutionModel model)
{
    return std::ranges::find(allStages(), model, &StageChoice::model)->bit;
}

}  // namespace

const std::vector<StageChoice>& allStages()
{
    static const std::vector<StageChoice> kStages = {
        {spv::ExecutionModel::Vertex, VK_SHADER_STAGE_VERTEX_BIT, shaders::vertex_plain, shaders::vertex_push},
        {spv::ExecutionModel::TessellationControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, shaders::control_plain,
         shaders::control_push},
        {spv::ExecutionModel::TessellationEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
         shaders::evaluation_plain, shaders::evaluation_push},
        {spv::ExecutionModel::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT, shaders::geometry_plain, shaders::geometry_push},
        {spv::ExecutionModel::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT, shaders::fragment_plain, shaders::fragment_push},
    };
    return kStages;
}

void DrawTest::SetUp()
{
    VariantTest::SetUp();
    createTarget();
}

void DrawTest::createTarget()
{
    VkSubpassDescription subpass{};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    harness::check(vkCreateRenderPass(m_device->device, &info, nullptr, &m_renderPass), "render pass");
    VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    frame.renderPass = m_renderPass;
    frame.width = frame.height = kSize;
    frame.layers = 1;
    harness::check(vkCreateFramebuffer(m_device->device, &frame, nullptr, &m_framebuffer), "framebuffer");
    onEnd([this] {
        vkDestroyFramebuffer(m_device->device, m_framebuffer, nullptr);
        vkDestroyRenderPass(m_device->device, m_renderPass, nullptr);
    });
}

DrawTest::Pipeline DrawTest::createPipeline(const std::vector<StageCode>& stages, uint32_t pushBytes,
                                            const PipelineState& state)
{
    Pipeline pipeline;
    pipeline.layout = createPipelineLayout(kAll, pushBytes);
    const VkSpecializationMapEntry entry{0, 0, sizeof(float)};
    const VkSpecializationInfo specialization{1, &entry, sizeof(float), &state.scale};
    std::vector<VkPipelineShaderStageCreateInfo> infos;
    bool hasTessellation = false;
    for (const StageCode& stage : stages) {
        VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage = bitOf(stage.model);
        info.module = m_device->createModule(stage.words);
        info.pName = stage.entryPoint.c_str();
        info.pSpecializationInfo = &specialization;
        infos.push_back(info);
        hasTessellation |= stage.model == spv::ExecutionModel::TessellationControl;
    }
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = hasTessellation ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : state.topology;
    VkPipelineTessellationStateCreateInfo patches{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
    patches.patchControlPoints = 3;
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSize, kSize}};
    VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    view.viewportCount = view.scissorCount = 1;
    view.pViewports = &viewport;
    view.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = static_cast<uint32_t>(state.dynamic.size());
    dynamic.pDynamicStates = state.dynamic.data();
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = static_cast<uint32_t>(infos.size());
    info.pStages = infos.data();
    info.pVertexInputState = &state.vertexInput;
    info.pDynamicState = &dynamic;
    info.pInputAssemblyState = &assembly;
    info.pTessellationState = &patches;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.layout = pipeline.layout;
    info.renderPass = m_renderPass;
    harness::check(vkCreateGraphicsPipelines(m_device->device, nullptr, 1, &info, nullptr, &pipeline.handle),
                   "vkCreateGraphicsPipelines");
    for (const VkPipelineShaderStageCreateInfo& stage : infos)
        vkDestroyShaderModule(m_device->device, stage.module, nullptr);
    onEnd([this, pipeline] { vkDestroyPipeline(m_device->device, pipeline.handle, nullptr); });
    return pipeline;
}

std::vector<uint32_t> DrawTest::run(const Pipeline& pipeline, const std::function<void(VkCommandBuffer)>& record)
{
    return count([&](VkCommandBuffer cmd) {
        VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        begin.renderPass = m_renderPass;
        begin.framebuffer = m_framebuffer;
        begin.renderArea = {{0, 0}, {kSize, kSize}};
        vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle);
        bindSet(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout);
        record(cmd);
        vkCmdEndRenderPass(cmd);
    });
}

}  // namespace millrace::commands

// SPDX-License-Identifier: Apache-2.0
// Pipelines of graphs and of their libraries.
#include <deque>

#include "harness/part_times.h"
#include "harness/runner.h"

namespace millrace::harness {

namespace {

// VkPipelineShaderStageCreateInfo with all that it points to.
struct StageInfo {
    VkPipelineShaderStageNodeCreateInfoAMDX node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint32_t> values;
    VkSpecializationInfo specialization{};
    VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};

    StageInfo(const Stage& from, VkShaderModule module)
    {
        node.pName = from.name ? from.name->c_str() : nullptr;
        node.index = from.index.value_or(VK_SHADER_INDEX_UNUSED_AMDX);
        for (const auto& [id, value] : from.specialization) {
            entries.push_back({id, static_cast<uint32_t>(values.size() * 4), 4});
            values.push_back(value);
        }
        specialization = {static_cast<uint32_t>(entries.size()), entries.data(), values.size() * 4, values.data()};
        stage.pNext = from.withNodeInfo ? &node : nullptr;
        stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stage.module = module;
        stage.pName = from.entry.c_str();
        stage.pSpecializationInfo = entries.empty() ? nullptr : &specialization;
    }
    StageInfo(const StageInfo&) = delete;
};

}  // namespace

VkShaderModule Runner::moduleFor(const std::vector<uint32_t>& words)
{
    VkShaderModule& module = m_modules[{words.begin(), words.end()}];
    if (!module) {
        module = m_device.createModule(words);
        onDestroy([this, created = module] { vkDestroyShaderModule(m_device.device, created, nullptr); });
    }
    return module;
}

VkResult Runner::tryCreateGraph(const std::vector<Stage>& stages, const GraphOptions& options, VkPipeline& pipeline)
{
    std::deque<StageInfo> infos;
    std::vector<VkPipelineShaderStageCreateInfo> list;
    for (const Stage& stage : stages)
        list.push_back(infos.emplace_back(stage, moduleFor(stage.words)).stage);
    VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    libraries.libraryCount = static_cast<uint32_t>(options.libraries.size());
    libraries.pLibraries = options.libraries.data();
    VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR};
    flags.flags = options.flags;
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.pNext = options.flags ? &flags : nullptr;
    info.stageCount = static_cast<uint32_t>(list.size());
    info.pStages = list.data();
    info.pLibraryInfo = options.libraries.empty() ? nullptr : &libraries;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    pipeline = VK_NULL_HANDLE;
    const Part part("creation");
    const VkResult result = m_device.createGraphs(m_device.device, options.cache, 1, &info, nullptr, &pipeline);
    if (pipeline)
        onDestroy([this, created = pipeline] { vkDestroyPipeline(m_device.device, created, nullptr); });
    return result;
}

VkPipeline Runner::createGraph(const std::vector<Stage>& stages, const GraphOptions& options)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = tryCreateGraph(stages, options, pipeline);
    if (result != VK_SUCCESS) {
        std::string said;
        for (const std::string& message : m_device.takeMessages())
            said += "\n  " + message;
        throw HarnessError("vkCreateExecutionGraphPipelinesAMDX returned " + std::to_string(result) + said);
    }
    return pipeline;
}

VkPipeline Runner::createComputeLibrary(const Stage& stage)
{
    const StageInfo infoOfStage(stage, moduleFor(stage.words));
    VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR};
    flags.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
    info.stage = infoOfStage.stage;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(m_device.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    onDestroy([this, pipeline] { vkDestroyPipeline(m_device.device, pipeline, nullptr); });
    return pipeline;
}

VkPipeline Runner::createMeshLibrary(const Stage& stage)
{
    StageInfo infoOfStage(stage, moduleFor(stage.words));
    infoOfStage.stage.stage = VK_SHADER_STAGE_MESH_BIT_EXT;
    VkPipelineShaderStageCreateInfo fragment{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    fragment.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    fragment.module = moduleFor(stage.fragment);
    fragment.pName = "main";
    const VkPipelineShaderStageCreateInfo stages[] = {infoOfStage.stage, fragment};
    const VkViewport area{0, 0, static_cast<float>(m_side), static_cast<float>(m_side), 0, 1};
    const VkRect2D scissor{{}, {m_side, m_side}};
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pViewports = &area;
    viewport.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                                              m_pass ? nullptr : &rendering};
    flags.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &flags};
    info.stageCount = 2;
    info.pStages = stages;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.renderPass = m_pass;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(m_device.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    onDestroy([this, pipeline] { vkDestroyPipeline(m_device.device, pipeline, nullptr); });
    return pipeline;
}

}  // namespace millrace::harness

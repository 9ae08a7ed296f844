// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/pipelines.h"

#include <ranges>

#include "bench/mesh/target.h"
#include "shaders/bench_mesh_shaders.h"

namespace millrace::bench {

namespace {

constexpr VkPipelineCreateFlags2 kNodeFlags =
    VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;

// The stages of a pipeline, with what they point to.
class Stages {
public:
    Stages(const Gpu& gpu, const char* node) : m_gpu(gpu) { m_node.pName = node; }
    ~Stages()
    {
        for (const VkPipelineShaderStageCreateInfo& stage : m_stages)
            vkDestroyShaderModule(m_gpu.handle(), stage.module, nullptr);
    }
    Stages(const Stages&) = delete;

    void add(VkShaderStageFlagBits which, std::span<const uint32_t> words, bool isNode = false)
    {
        if (words.empty())
            return;
        VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stage.stage = which;
        stage.module = m_gpu.createModule(words);
        stage.pName = isNode ? m_node.pName : "main";
        if (isNode)
            stage.pNext = &m_node;
        m_stages.push_back(stage);
    }
    const std::vector<VkPipelineShaderStageCreateInfo>& all() const { return m_stages; }

private:
    const Gpu& m_gpu;
    VkPipelineShaderStageNodeCreateInfoAMDX m_node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    std::vector<VkPipelineShaderStageCreateInfo> m_stages;
};

// Fixed state, with what it points to. The picture's size is dynamic.
struct DrawState {
    DrawState()
    {
        assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
        raster.lineWidth = 1;
        samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
        depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
        depth.depthCompareOp = VK_COMPARE_OP_LESS;
        attachment.colorWriteMask = 0xf;
        blend.attachmentCount = 1;
        blend.pAttachments = &attachment;
        dynamic.dynamicStateCount = 2;
        dynamic.pDynamicStates = dynamicStates;
        rendering.colorAttachmentCount = 1;
        rendering.pColorAttachmentFormats = &kColorFormat;
        rendering.depthAttachmentFormat = kDepthFormat;
    }
    DrawState(const DrawState&) = delete;

    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState attachment{};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    VkDynamicState dynamicStates[2] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
};

}  // namespace

Pipelines::Pipelines(Gpu& gpu) : m_gpu(gpu)
{
    m_stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT;
    if (gpu.hasExtension())
        m_stages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    const VkPushConstantRange range{m_stages, 0, sizeof(PushConstants)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(gpu.handle(), &info, nullptr, &m_layout), "vkCreatePipelineLayout");
}

Pipelines::~Pipelines()
{
    for (const VkPipeline pipeline : m_pipelines | std::views::reverse)
        vkDestroyPipeline(m_gpu.handle(), pipeline, nullptr);
    vkDestroyPipelineLayout(m_gpu.handle(), m_layout, nullptr);
}

VkPipeline Pipelines::keep(VkPipeline pipeline)
{
    m_pipelines.push_back(pipeline);
    return pipeline;
}

VkPipeline Pipelines::createDraw(const DrawShaders& shaders)
{
    Stages stages(m_gpu, shaders.node);
    stages.add(VK_SHADER_STAGE_TASK_BIT_EXT, shaders.task);
    stages.add(VK_SHADER_STAGE_MESH_BIT_EXT, shaders.mesh, shaders.node != nullptr);
    stages.add(VK_SHADER_STAGE_VERTEX_BIT, shaders.vertex);
    stages.add(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::mesh_shade);
    DrawState state;
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = kNodeFlags;
    if (shaders.node)
        state.rendering.pNext = &flags;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &state.rendering};
    info.stageCount = static_cast<uint32_t>(stages.all().size());
    info.pStages = stages.all().data();
    if (!shaders.vertex.empty()) {
        info.pVertexInputState = &state.input;
        info.pInputAssemblyState = &state.assembly;
    }
    info.pViewportState = &state.viewports;
    info.pRasterizationState = &state.raster;
    info.pMultisampleState = &state.samples;
    info.pDepthStencilState = &state.depth;
    info.pColorBlendState = &state.blend;
    info.pDynamicState = &state.dynamic;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(m_gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    return keep(pipeline);
}

VkPipeline Pipelines::createCompute(std::span<const uint32_t> words, const char* node)
{
    Stages stages(m_gpu, node);
    stages.add(VK_SHADER_STAGE_COMPUTE_BIT, words, node != nullptr);
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = kNodeFlags;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, node ? &flags : nullptr};
    info.stage = stages.all()[0];
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(m_gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    return keep(pipeline);
}

VkPipeline Pipelines::createGraph(std::span<const VkPipeline> libraries)
{
    PFN_vkCreateExecutionGraphPipelinesAMDX create = nullptr;
    m_gpu.load(create, "vkCreateExecutionGraphPipelinesAMDX");
    VkPipelineLibraryCreateInfoKHR list{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    list.libraryCount = static_cast<uint32_t>(libraries.size());
    list.pLibraries = libraries.data();
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.pLibraryInfo = &list;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(create(m_gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "vkCreateExecutionGraphPipelinesAMDX");
    return keep(pipeline);
}

void Pipelines::push(VkCommandBuffer commands, const PushConstants& constants) const
{
    vkCmdPushConstants(commands, m_layout, m_stages, 0, sizeof constants, &constants);
}

void Pipelines::pushAddresses(VkCommandBuffer commands, uint64_t from, uint64_t to) const
{
    const uint64_t addresses[] = {from, to};
    static_assert(sizeof addresses == sizeof(PushConstants));
    vkCmdPushConstants(commands, m_layout, m_stages, 0, sizeof addresses, addresses);
}

}  // namespace millrace::bench

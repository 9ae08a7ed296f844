// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/generated_objects.h"

#include "shaders/generated_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kBufferBytes = GeneratedObjects::kCalls * GeneratedObjects::kDraws * GeneratedObjects::kStride;
constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

VkIndirectCommandsTokenTypeEXT actionOf(VkShaderStageFlags stages)
{
    if (stages == VK_SHADER_STAGE_COMPUTE_BIT)
        return VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT;
    return stages == kMeshStages ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT
                                 : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT;
}

}  // namespace

GeneratedObjects::GeneratedObjects(const FakeDriver& driver, bool hasMeshes) : m_device(driver.handle())
{
    createLayout();
    const Stage stages[] = {{VK_SHADER_STAGE_VERTEX_BIT, shaders::points_vertex},
                            {VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment}};
    for (VkPipeline& pipeline : pipelines)
        pipeline = createGraphics(stages);
    m_compute = createCompute(shaders::accumulate);
    m_tokens = createTokens(kDrawnStages, 0, false);
    m_ordered = createTokens(kDrawnStages, VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT, true);
    m_unordered = createTokens(kDrawnStages, VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT, true);
    if (hasMeshes)
        m_meshes = createTokens(kMeshStages, 0, false);
    m_dispatches = createTokens(VK_SHADER_STAGE_COMPUTE_BIT, 0, false);
    m_explicitDispatches =
        createTokens(VK_SHADER_STAGE_COMPUTE_BIT, VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT, false);
    m_dispatchesOfSet = createTokens(VK_SHADER_STAGE_COMPUTE_BIT, 0, true);
    m_set = createSet(pipelines);
    m_otherSet = createSet(pipelines);
    m_computeSet = createSet(std::array{m_compute, m_compute});
    m_stream = createBuffer();
    m_memory = createBuffer();
}

GeneratedObjects::~GeneratedObjects()
{
    for (auto destroy = m_cleanup.rbegin(); destroy != m_cleanup.rend(); ++destroy)
        (*destroy)();
}

void GeneratedObjects::createLayout()
{
    VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                         VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo sets{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    sets.bindingCount = 1;
    sets.pBindings = &binding;
    FakeDriver::get<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(m_device, &sets, nullptr,
                                                                                    &setLayout);
    const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, kPushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(m_device, &info, nullptr, &layout);
    m_cleanup.push_back([this] {
        FakeDriver::get<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout")(m_device, layout, nullptr);
        FakeDriver::get<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(m_device, setLayout, nullptr);
    });
}

VkPipeline GeneratedObjects::createGraphics(std::span<const Stage> code)
{
    std::vector<VkShaderModuleCreateInfo> modules(code.size(), {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO});
    std::vector<VkPipelineShaderStageCreateInfo> stages(code.size(),
                                                        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO});
    for (size_t i = 0; i < code.size(); ++i) {
        modules[i].codeSize = code[i].second.size_bytes();
        modules[i].pCode = code[i].second.data();
        stages[i].pNext = &modules[i];
        stages[i].stage = code[i].first;
        stages[i].pName = "main";
    }
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    const VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    const VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pRasterizationState = &raster;
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateGraphicsPipelines>("vkCreateGraphicsPipelines")(m_device, VK_NULL_HANDLE, 1, &info,
                                                                                nullptr, &pipeline);
    m_cleanup.push_back(
        [this, pipeline] { FakeDriver::get<PFN_vkDestroyPipeline>("vkDestroyPipeline")(m_device, pipeline, nullptr); });
    return pipeline;
}

VkPipeline GeneratedObjects::createCompute(std::span<const uint32_t> code)
{
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = code.size_bytes();
    module.pCode = code.data();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &module};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateComputePipelines>("vkCreateComputePipelines")(m_device, VK_NULL_HANDLE, 1, &info,
                                                                              nullptr, &pipeline);
    m_cleanup.push_back(
        [this, pipeline] { FakeDriver::get<PFN_vkDestroyPipeline>("vkDestroyPipeline")(m_device, pipeline, nullptr); });
    return pipeline;
}

// An index of the set if there is one, two words that are pushed, and a draw or a dispatch.
VkIndirectCommandsLayoutEXT GeneratedObjects::createTokens(VkShaderStageFlags stages,
                                                           VkIndirectCommandsLayoutUsageFlagsEXT flags, bool hasSet)
{
    const VkIndirectCommandsPushConstantTokenEXT words{{stages, 0, 8}};
    const VkIndirectCommandsExecutionSetTokenEXT which{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, stages};
    VkIndirectCommandsLayoutTokenEXT all[3] = {};
    for (VkIndirectCommandsLayoutTokenEXT& token : all)
        token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT;
    all[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
    all[0].data.pExecutionSet = &which;
    all[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT;
    all[1].data.pPushConstant = &words;
    all[1].offset = 4;
    all[2].type = actionOf(stages);
    all[2].offset = 12;
    VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
    info.flags = flags;
    info.shaderStages = stages;
    info.indirectStride = kStride;
    info.pipelineLayout = layout;
    info.tokenCount = hasSet ? 3 : 2;
    info.pTokens = hasSet ? all : all + 1;
    VkIndirectCommandsLayoutEXT out = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateIndirectCommandsLayoutEXT>("vkCreateIndirectCommandsLayoutEXT")(m_device, &info,
                                                                                                nullptr, &out);
    m_cleanup.push_back([this, out] {
        FakeDriver::get<PFN_vkDestroyIndirectCommandsLayoutEXT>("vkDestroyIndirectCommandsLayoutEXT")(m_device, out,
                                                                                                      nullptr);
    });
    return out;
}

VkIndirectExecutionSetEXT GeneratedObjects::createSet(std::span<const VkPipeline> members)
{
    VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    of.initialPipeline = members[0];
    of.maxPipelineCount = static_cast<uint32_t>(members.size());
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    info.info.pPipelineInfo = &of;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreateIndirectExecutionSetEXT>("vkCreateIndirectExecutionSetEXT")(m_device, &info, nullptr,
                                                                                            &set);
    m_cleanup.push_back([this, set] {
        FakeDriver::get<PFN_vkDestroyIndirectExecutionSetEXT>("vkDestroyIndirectExecutionSetEXT")(m_device, set,
                                                                                                  nullptr);
    });
    for (uint32_t i = 1; i < of.maxPipelineCount; ++i)
        writeMember(set, i, members[i]);
    return set;
}

void GeneratedObjects::writeMember(VkIndirectExecutionSetEXT set, uint32_t index, VkPipeline pipeline) const
{
    VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT};
    write.index = index;
    write.pipeline = pipeline;
    FakeDriver::get<PFN_vkUpdateIndirectExecutionSetPipelineEXT>("vkUpdateIndirectExecutionSetPipelineEXT")(
        m_device, set, 1, &write);
}

GeneratedObjects::Buffer GeneratedObjects::createBuffer()
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = kBufferBytes;
    info.usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    Buffer out;
    FakeDriver::get<PFN_vkCreateBuffer>("vkCreateBuffer")(m_device, &info, nullptr, &out.handle);
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = out.handle;
    out.address = FakeDriver::get<PFN_vkGetBufferDeviceAddress>("vkGetBufferDeviceAddress")(m_device, &ask);
    m_cleanup.push_back([this, buffer = out.handle] {
        FakeDriver::get<PFN_vkDestroyBuffer>("vkDestroyBuffer")(m_device, buffer, nullptr);
    });
    return out;
}

VkGeneratedCommandsInfoEXT GeneratedObjects::infoOf(VkIndirectCommandsLayoutEXT tokens, VkShaderStageFlags stages) const
{
    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
    info.shaderStages = stages;
    info.indirectCommandsLayout = tokens;
    info.indirectAddress = m_stream.address;
    info.indirectAddressSize = kDraws * kStride;
    info.preprocessAddress = m_memory.address;
    info.preprocessSize = kBufferBytes;
    info.maxSequenceCount = kDraws;
    return info;
}

namespace {

VkGeneratedCommandsPipelineInfoEXT with(VkPipeline pipeline)
{
    VkGeneratedCommandsPipelineInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    info.pipeline = pipeline;
    return info;
}

void execute(VkCommandBuffer cmd, VkBool32 isPreprocessed, const VkGeneratedCommandsInfoEXT& info)
{
    FakeDriver::get<PFN_vkCmdExecuteGeneratedCommandsEXT>("vkCmdExecuteGeneratedCommandsEXT")(cmd, isPreprocessed,
                                                                                              &info);
}

}  // namespace

void GeneratedObjects::draw(VkCommandBuffer cmd, uint32_t number) const
{
    const VkGeneratedCommandsPipelineInfoEXT first = with(pipelines[0]);
    VkGeneratedCommandsInfoEXT info = infoOf(m_tokens, kDrawnStages);
    info.pNext = &first;
    info.indirectAddress += uint64_t{number} * kDraws * kStride;
    execute(cmd, VK_FALSE, info);
}

void GeneratedObjects::drawMeshes(VkCommandBuffer cmd, VkPipeline pipeline) const
{
    const VkGeneratedCommandsPipelineInfoEXT own = with(pipeline);
    VkGeneratedCommandsInfoEXT info = infoOf(m_meshes, kMeshStages);
    info.pNext = &own;
    execute(cmd, VK_FALSE, info);
}

void GeneratedObjects::drawInOrder(VkCommandBuffer cmd) const
{
    VkGeneratedCommandsInfoEXT info = infoOf(m_ordered, kDrawnStages);
    info.indirectExecutionSet = m_set;
    execute(cmd, VK_TRUE, info);
}

void GeneratedObjects::drawUnordered(VkCommandBuffer cmd, VkIndirectExecutionSetEXT set) const
{
    VkGeneratedCommandsInfoEXT info = infoOf(m_unordered, kDrawnStages);
    info.indirectExecutionSet = set;
    execute(cmd, VK_FALSE, info);
}

void GeneratedObjects::dispatch(VkCommandBuffer cmd) const
{
    const VkGeneratedCommandsPipelineInfoEXT own = with(m_compute);
    VkGeneratedCommandsInfoEXT info = infoOf(m_dispatches, VK_SHADER_STAGE_COMPUTE_BIT);
    info.pNext = &own;
    execute(cmd, VK_FALSE, info);
}

void GeneratedObjects::dispatchOfSet(VkCommandBuffer cmd) const
{
    VkGeneratedCommandsInfoEXT info = infoOf(m_dispatchesOfSet, VK_SHADER_STAGE_COMPUTE_BIT);
    info.indirectExecutionSet = m_computeSet;
    execute(cmd, VK_FALSE, info);
}

void GeneratedObjects::changeSet(uint32_t number, VkIndirectExecutionSetEXT set) const
{
    writeMember(set, 1, pipelines[number % kPipelines]);
}

void GeneratedObjects::preprocess(VkCommandBuffer cmd) const
{
    const VkGeneratedCommandsPipelineInfoEXT own = with(m_compute);
    VkGeneratedCommandsInfoEXT info = infoOf(m_explicitDispatches, VK_SHADER_STAGE_COMPUTE_BIT);
    info.pNext = &own;
    FakeDriver::get<PFN_vkCmdPreprocessGeneratedCommandsEXT>("vkCmdPreprocessGeneratedCommandsEXT")(cmd, &info, cmd);
}

void GeneratedObjects::dispatchPreprocessed(VkCommandBuffer cmd) const
{
    const VkGeneratedCommandsPipelineInfoEXT own = with(m_compute);
    VkGeneratedCommandsInfoEXT info = infoOf(m_explicitDispatches, VK_SHADER_STAGE_COMPUTE_BIT);
    info.pNext = &own;
    execute(cmd, VK_TRUE, info);
}

}  // namespace millrace::layertest

// SPDX-License-Identifier: Apache-2.0
#include "bench/generated/token_streams.h"

#include <algorithm>

namespace millrace::bench {

void SavedPipeline::addTo(VkComputePipelineCreateInfo& info)
{
    PFN_vkGetPipelineIndirectMemoryRequirementsNV get = nullptr;
    m_gpu.load(get, "vkGetPipelineIndirectMemoryRequirementsNV");
    m_info.pNext = info.pNext;
    info.pNext = &m_info;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    get(m_gpu.handle(), &info, &needs);
    m_memory = m_gpu.createBuffer(needs.memoryRequirements.size, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT, false);
    m_info.deviceAddress = m_memory.address;
    m_info.size = needs.memoryRequirements.size;
}

void SavedPipeline::save(VkPipeline pipeline) const
{
    PFN_vkCmdUpdatePipelineIndirectBufferNV update = nullptr;
    m_gpu.load(update, "vkCmdUpdatePipelineIndirectBufferNV");
    const VkCommandBuffer cmd = m_gpu.allocate();
    m_gpu.begin(cmd);
    update(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    check(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    m_gpu.run(cmd);
    m_gpu.free(cmd);
}

TokenStreams::TokenStreams(Gpu& gpu, const Case& scene, VkPipelineLayout layout, VkPipeline pipeline,
                           VkShaderStageFlags stages)
    : m_gpu(gpu), m_scene(scene), m_record(scene), m_pipeline(pipeline)
{
    m_gpu.load(m_execute, "vkCmdExecuteGeneratedCommandsNV");
    createLayout(layout, stages);
    createPreprocess();
}

TokenStreams::~TokenStreams()
{
    PFN_vkDestroyIndirectCommandsLayoutNV destroy = nullptr;
    m_gpu.load(destroy, "vkDestroyIndirectCommandsLayoutNV");
    destroy(m_gpu.handle(), m_tokens, nullptr);
    m_gpu.destroy(m_preprocess);
}

VkPipelineBindPoint TokenStreams::bindPoint() const
{
    return m_scene.action == Action::Dispatch ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
}

VkIndirectCommandsTokenTypeNV TokenStreams::action() const
{
    switch (m_scene.action) {
        case Action::Dispatch:
            return VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV;
        case Action::DrawBuffers:
            return VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV;
        default:
            return VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV;
    }
}

void TokenStreams::createLayout(VkPipelineLayout layout, VkShaderStageFlags stages)
{
    std::vector<VkIndirectCommandsLayoutTokenNV> tokens;
    const auto add = [&](VkIndirectCommandsTokenTypeNV type, uint32_t word) -> VkIndirectCommandsLayoutTokenNV& {
        VkIndirectCommandsLayoutTokenNV& token = tokens.emplace_back();
        token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV;
        token.tokenType = type;
        token.offset = word * 4;
        return token;
    };
    if (m_scene.hasSet())
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV, m_record.set);
    VkIndirectCommandsLayoutTokenNV& push = add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, m_record.push);
    push.pushconstantPipelineLayout = layout;
    push.pushconstantShaderStageFlags = stages;
    push.pushconstantSize = 8;
    if (m_scene.action == Action::DrawBuffers) {
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV, m_record.indices);
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV, m_record.vertices).vertexDynamicStride = VK_TRUE;
    }
    add(action(), m_record.action);
    const uint32_t stride = m_record.words * 4;
    VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
    if (!m_scene.isOrdered)
        info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_NV;
    info.pipelineBindPoint = bindPoint();
    info.tokenCount = static_cast<uint32_t>(tokens.size());
    info.pTokens = tokens.data();
    info.streamCount = 1;
    info.pStreamStrides = &stride;
    PFN_vkCreateIndirectCommandsLayoutNV create = nullptr;
    m_gpu.load(create, "vkCreateIndirectCommandsLayoutNV");
    check(create(m_gpu.handle(), &info, nullptr, &m_tokens), "vkCreateIndirectCommandsLayoutNV");
}

// Each call has its own.
void TokenStreams::createPreprocess()
{
    PFN_vkGetGeneratedCommandsMemoryRequirementsNV get = nullptr;
    m_gpu.load(get, "vkGetGeneratedCommandsMemoryRequirementsNV");
    VkGeneratedCommandsMemoryRequirementsInfoNV ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_NV};
    ask.pipelineBindPoint = bindPoint();
    ask.pipeline = m_pipeline;
    ask.indirectCommandsLayout = m_tokens;
    ask.maxSequencesCount = m_scene.sequences;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    get(m_gpu.handle(), &ask, &needs);
    const VkDeviceSize alignment = std::max<VkDeviceSize>(256, needs.memoryRequirements.alignment);
    m_preprocessBytes =
        std::max<VkDeviceSize>(1, (needs.memoryRequirements.size + alignment - 1) / alignment) * alignment;
    m_preprocess = m_gpu.createBuffer(m_preprocessBytes * m_scene.calls, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT, false);
}

void TokenStreams::execute(VkCommandBuffer commandBuffer, VkBuffer records, uint32_t call) const
{
    const VkIndirectCommandsStreamNV stream{records, VkDeviceSize{call} * m_scene.sequences * m_record.words * 4};
    VkGeneratedCommandsInfoNV info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_NV};
    info.pipelineBindPoint = bindPoint();
    info.pipeline = m_pipeline;
    info.indirectCommandsLayout = m_tokens;
    info.streamCount = 1;
    info.pStreams = &stream;
    info.sequencesCount = m_scene.sequences;
    info.preprocessBuffer = m_preprocess.handle;
    info.preprocessOffset = m_preprocessBytes * call;
    info.preprocessSize = m_preprocessBytes;
    m_execute(commandBuffer, VK_FALSE, &info);
}

}  // namespace millrace::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/generated/token_streams.h"

#include <algorithm>

namespace millrace::bench {

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
    const bool hasBuffers = m_scene.action == Action::DrawBuffers;
    if (m_scene.hasSet())
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV, m_record.set);
    VkIndirectCommandsLayoutTokenNV& push = add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, m_record.push);
    push.pushconstantPipelineLayout = layout;
    push.pushconstantShaderStageFlags = stages;
    push.pushconstantSize = 8;
    if (hasBuffers) {
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV, m_record.indices);
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV, m_record.vertices).vertexDynamicStride = VK_TRUE;
    }
    add(hasBuffers ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV,
        m_record.action);
    const uint32_t stride = m_record.words * 4;
    VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
    if (!m_scene.isOrdered)
        info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_NV;
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
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
    ask.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
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
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
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

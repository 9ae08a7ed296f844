// SPDX-License-Identifier: Apache-2.0
#include "commands/stream_layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace millrace::commandtest {

using layertest::Buffer;

namespace {

// DXGI_FORMAT_R16_UINT and DXGI_FORMAT_R32_UINT.
constexpr VkIndexType kIndexTypes[] = {VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32};
constexpr uint32_t kIndexTypeValues[] = {57, 42};

StreamToken translate(const VkIndirectCommandsLayoutTokenEXT& from, VkPipelineLayout pipelineLayout)
{
    StreamToken out{{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV}, from.offset / 4, 0};
    VkIndirectCommandsLayoutTokenNV& token = out.token;
    switch (from.type) {
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT: {
            const bool isCompute = from.data.pExecutionSet->shaderStages == VK_SHADER_STAGE_COMPUTE_BIT;
            token.tokenType = isCompute ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV
                                        : VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV;
            out.words = isCompute ? 2 : 1;
            break;
        }
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV;
            token.pushconstantPipelineLayout = pipelineLayout;
            token.pushconstantShaderStageFlags = from.data.pPushConstant->updateRange.stageFlags;
            token.pushconstantOffset = from.data.pPushConstant->updateRange.offset;
            token.pushconstantSize = from.data.pPushConstant->updateRange.size;
            out.words = token.pushconstantSize / 4;
            break;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV;
            if (from.data.pIndexBuffer->mode == VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT) {
                token.indexTypeCount = 2;
                token.pIndexTypes = kIndexTypes;
                token.pIndexTypeValues = kIndexTypeValues;
            }
            out.words = 4;
            break;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV;
            token.vertexBindingUnit = from.data.pVertexBuffer->vertexBindingUnit;
            token.vertexDynamicStride = VK_TRUE;
            out.words = 4;
            break;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV;
            out.words = 5;
            break;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV;
            out.words = 4;
            break;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV;
            out.words = 3;
            break;
        default:
            token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV;
            out.words = 3;
    }
    return out;
}

}  // namespace

StreamLayout::StreamLayout(Random& random, const RandomLayout& from, VkPipelineLayout pipelineLayout,
                           const std::vector<VkDeviceAddress>& pipelines)
    : m_pipelines(pipelines)
{
    const bool isWhole = below(random, 3) == 0 && (from.setWord < 0 || pipelines.empty());
    isIndexed = below(random, 2) && !isWhole;
    const bool hasFlags = !isWhole && from.stages != VK_SHADER_STAGE_COMPUTE_BIT && below(random, 3) == 0;
    strideWords.assign(isWhole ? 1 : 1 + below(random, 3), isWhole ? from.strideWords : 0);
    for (const VkIndirectCommandsLayoutTokenEXT& token : from.tokens) {
        StreamToken own = translate(token, pipelineLayout);
        if (isWhole) {
            own.token.offset = token.offset;
            tokens.push_back(own);
            continue;
        }
        if (hasFlags && &token == &from.tokens.back()) {
            StreamToken flags{{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV}, 0, 1};
            flags.token.tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV;
            flags.token.indirectStateFlags = VK_INDIRECT_STATE_FLAG_FRONTFACE_BIT_NV;
            place(random, flags);
        }
        place(random, own);
    }
    for (uint32_t& words : strideWords)
        words += isWhole ? 0 : 1 + below(random, 2);
}

void StreamLayout::place(Random& random, StreamToken token)
{
    token.token.stream = below(random, static_cast<uint32_t>(strideWords.size()));
    uint32_t& word = strideWords[token.token.stream];
    word += below(random, 2);  // a hole
    token.token.offset = word * 4;
    word += token.words;
    tokens.push_back(token);
}

std::vector<std::vector<uint32_t>> StreamLayout::split(Random& random, const std::vector<uint32_t>& records,
                                                       uint32_t recordWords, const std::vector<uint32_t>& numbers) const
{
    std::vector<std::vector<uint32_t>> streams;
    for (uint32_t words : strideWords)
        streams.emplace_back(words * numbers.size(), 0xdeadbeefu);
    for (size_t i = 0; i < numbers.size(); ++i)
        for (const StreamToken& own : tokens) {
            const uint32_t stream = own.token.stream;
            const uint32_t* const words = &records[i * recordWords + own.recordWord];
            uint32_t* const out = &streams[stream][size_t{numbers[i]} * strideWords[stream] + own.token.offset / 4];
            if (own.token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV)
                *out = static_cast<uint32_t>(random());
            else if (own.token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV)
                std::memcpy(out, &m_pipelines[*words], sizeof(VkDeviceAddress));
            else
                std::copy_n(words, own.words, out);
        }
    return streams;
}

VkIndirectCommandsLayoutNV StreamLayout::create(VkDevice device, VkPipelineBindPoint bindPoint,
                                                VkIndirectCommandsLayoutUsageFlagsNV flags) const
{
    std::vector<VkIndirectCommandsLayoutTokenNV> all;
    for (const StreamToken& own : tokens)
        all.push_back(own.token);
    std::vector<uint32_t> strides;
    for (uint32_t words : strideWords)
        strides.push_back(words * 4);
    VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
    info.flags = flags | (isIndexed ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_INDEXED_SEQUENCES_BIT_NV : 0);
    info.pipelineBindPoint = bindPoint;
    info.tokenCount = static_cast<uint32_t>(all.size());
    info.pTokens = all.data();
    info.streamCount = static_cast<uint32_t>(strides.size());
    info.pStreamStrides = strides.data();
    VkIndirectCommandsLayoutNV layout = VK_NULL_HANDLE;
    const auto create = reinterpret_cast<PFN_vkCreateIndirectCommandsLayoutNV>(
        vkGetDeviceProcAddr(device, "vkCreateIndirectCommandsLayoutNV"));
    MILLRACE_CHECK(create(device, &info, nullptr, &layout));
    return layout;
}

StreamCall::StreamCall(GeneratedDevice& generated, Random& random, const RandomLayout& layout,
                       const std::vector<uint32_t>& records, uint32_t maxSequences, const uint32_t* deviceCount)
    : m_generated(generated), m_random(random), m_from(layout), m_records(records)
{
    m_info.sequencesCount = maxSequences;
    if (deviceCount)
        m_info.sequencesCountBuffer = generated.createCount(*deviceCount, maxSequences).handle;
}

StreamCall::~StreamCall()
{
    const auto destroy =
        m_generated.device.get<PFN_vkDestroyIndirectCommandsLayoutNV>("vkDestroyIndirectCommandsLayoutNV");
    destroy(m_generated.device.handle, m_info.indirectCommandsLayout, nullptr);
}

void StreamCall::create(VkPipelineBindPoint bindPoint, VkPipelineLayout pipelineLayout, VkPipeline pipeline,
                        VkIndirectCommandsLayoutUsageFlagsNV flags, const std::vector<VkDeviceAddress>& pipelines)
{
    const StreamLayout layout(m_random, m_from, pipelineLayout, pipelines);
    std::vector<uint32_t> numbers(m_info.sequencesCount);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (layout.isIndexed) {
        std::shuffle(numbers.begin(), numbers.end(), m_random);
        std::vector<uint32_t> given = numbers;
        changeNumbers(given);
        m_info.sequencesIndexBuffer = m_generated.createStream(given).handle;
    }
    // Not at the beginning of their buffers.
    constexpr uint32_t kInFront = 3;
    std::vector<std::vector<uint32_t>> streams = layout.split(m_random, m_records, m_from.strideWords, numbers);
    changeStreams(streams);
    for (std::vector<uint32_t>& stream : streams) {
        stream.insert(stream.begin(), kInFront, 0xabadcafeu);
        m_streams.push_back({m_generated.createStream(stream).handle, kInFront * 4});
    }
    m_info.pipelineBindPoint = bindPoint;
    m_info.pipeline = pipeline;
    m_info.indirectCommandsLayout = layout.create(m_generated.device.handle, bindPoint, flags);
    m_info.streamCount = static_cast<uint32_t>(m_streams.size());
    m_info.pStreams = m_streams.data();
    createPreprocess();
}

void StreamCall::createPreprocess()
{
    VkGeneratedCommandsMemoryRequirementsInfoNV ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_NV};
    ask.pipelineBindPoint = m_info.pipelineBindPoint;
    ask.pipeline = m_info.pipeline;
    ask.indirectCommandsLayout = m_info.indirectCommandsLayout;
    ask.maxSequencesCount = m_info.sequencesCount;
    VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    const auto get = m_generated.device.get<PFN_vkGetGeneratedCommandsMemoryRequirementsNV>(
        "vkGetGeneratedCommandsMemoryRequirementsNV");
    get(m_generated.device.handle, &ask, &requirements);
    m_info.preprocessSize = requirements.memoryRequirements.size;
    // The least alignment that offsets may have.
    m_info.preprocessOffset = 4;
    m_info.preprocessBuffer =
        m_generated.device.createBuffer(m_info.preprocessSize + 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT).handle;
}

void StreamCall::preprocess() const
{
    const VkCommandBuffer cmd = m_generated.device.begin();
    m_generated.device.get<PFN_vkCmdPreprocessGeneratedCommandsNV>("vkCmdPreprocessGeneratedCommandsNV")(cmd, &m_info);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    m_generated.device.submit(cmd);
}

void StreamCall::execute(VkCommandBuffer cmd, bool isPreprocessed) const
{
    m_generated.device.get<PFN_vkCmdExecuteGeneratedCommandsNV>("vkCmdExecuteGeneratedCommandsNV")(cmd, isPreprocessed,
                                                                                                   &m_info);
}

}  // namespace millrace::commandtest

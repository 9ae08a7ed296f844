// SPDX-License-Identifier: Apache-2.0
// Indirect commands layouts of VK_NV_device_generated_commands: tokens in several streams become one record, as
// commands::Layout describes it.
#include <algorithm>
#include <span>
#include <string>

#include "layer/commands/generated_commands.h"
#include "layer/commands/indirect_layouts.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

using commands::Action;
using Token = VkIndirectCommandsLayoutTokenNV;

constexpr uint32_t kBufferWords = 4;  // of VkBindVertexBufferIndirectCommandNV, VkBindIndexBufferIndirectCommandNV

std::string nameOf(VkIndirectCommandsTokenTypeNV type)
{
    switch (type) {
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV:
            return "SHADER_GROUP";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV:
            return "STATE_FLAGS";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV:
            return "INDEX_BUFFER";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV:
            return "VERTEX_BUFFER";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV:
            return "PUSH_CONSTANT";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV:
            return "DRAW_INDEXED";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV:
            return "DRAW";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_TASKS_NV:
            return "DRAW_TASKS";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV:
            return "DRAW_MESH_TASKS";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV:
            return "PIPELINE";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV:
            return "DISPATCH";
        default:
            return std::to_string(type);
    }
}

// Reads the tokens of one layout. What it cannot read it says, and the result is then an error.
class Reader {
public:
    Reader(const Device& device, const VkIndirectCommandsLayoutCreateInfoNV& info)
        : m_info(info),
          m_isChecked(device.generatedCommands->checks != nullptr),
          m_hasMesh(device.support.generatedMeshDraws),
          m_gathering({info.pStreamStrides, info.pStreamStrides + info.streamCount})
    {
    }

    VkResult read();
    std::shared_ptr<IndirectLayout> take();
    const std::string& problem() const { return m_problem; }

private:
    VkResult refuse(VkResult result, const std::string& problem)
    {
        m_problem = problem;
        return result;
    }
    // "token 2, DISPATCH"
    std::string textOf(const Token& token) const
    {
        return "token " + std::to_string(&token - m_info.pTokens) + ", " + nameOf(token.tokenType);
    }
    // True if one stream has whole records.
    bool needsGathering() const;
    // Where in the record what a token reads is.
    uint32_t place(const Token& token, uint32_t words);
    static bool chooses(const Token& token);
    VkResult readChoice(const Token& token);
    VkResult readToken(const Token& token);
    VkResult readIndexBuffer(const Token& token);
    VkResult readAction(Action action, const Token& token);

    const VkIndirectCommandsLayoutCreateInfoNV& m_info;
    const bool m_isChecked;
    const bool m_hasMesh;
    commands::Gathering m_gathering;
    IndirectLayout m_layout;
    bool m_gathers = false;
    const Token* m_action = nullptr;  // that says what to do
    std::string m_problem;
};

bool Reader::needsGathering() const
{
    const std::span<const Token> tokens(m_info.pTokens, m_info.tokenCount);
    if (m_info.flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_INDEXED_SEQUENCES_BIT_NV)
        return true;
    const uint32_t stride = m_info.pStreamStrides[tokens.front().stream];
    return std::ranges::any_of(tokens, [&](const Token& token) {
        // A multi-draw wants records that do not overlap.
        const bool overlaps = token.offset + commands::actionBytes(Action::DrawIndexed) > stride &&
                              (token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV ||
                               token.offset + commands::actionBytes(Action::Draw) > stride);
        const bool isChanged = token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV ||
                               token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV;
        return isChanged || token.stream != tokens.front().stream || token.indexTypeCount > 0 || overlaps;
    });
}

VkResult Reader::read()
{
    const std::span<const Token> tokens(m_info.pTokens, m_info.tokenCount);
    if (tokens.empty())
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "there is no token");
    const auto stray = std::ranges::find_if(tokens, [&](const Token& one) { return one.stream >= m_info.streamCount; });
    if (stray != tokens.end())
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT,
                      textOf(*stray) + ", is in stream " + std::to_string(stray->stream) +
                          ", which the layout does not have: there are " + std::to_string(m_info.streamCount) +
                          " (VUID-VkIndirectCommandsLayoutTokenNV-stream-02951)");
    m_gathers = needsGathering();
    const bool isCompute = m_info.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE;
    m_layout.layout.stages =
        isCompute ? VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT} : ~VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT};
    m_layout.isUnordered = isCompute || (m_info.flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_NV);
    // What chooses a pipeline is in front, side by side.
    for (const bool isChoice : {true, false})
        for (const Token& token : tokens) {
            if (chooses(token) != isChoice)
                continue;
            if (const VkResult result = isChoice ? readChoice(token) : readToken(token); result != VK_SUCCESS)
                return result;
        }
    if (!m_action)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "no token says what to do");
    if ((m_layout.layout.action == Action::Dispatch) != isCompute)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, textOf(*m_action) +
                                                          ", is of another bind point than the layout, which is for " +
                                                          (isCompute ? "compute" : "graphics") +
                                                          " (VUID-VkIndirectCommandsLayoutCreateInfoNV-pTokens-02935)");
    m_layout.onlyStream = m_info.pTokens->stream;
    m_layout.streamCount = m_info.streamCount;
    m_layout.layout.stride = m_gathers ? m_gathering.recordBytes() : m_info.pStreamStrides[m_layout.onlyStream];
    return VK_SUCCESS;
}

uint32_t Reader::place(const Token& token, uint32_t words)
{
    return m_gathers ? m_gathering.copy({token.stream, token.offset, words}) : token.offset;
}

bool Reader::chooses(const Token& token)
{
    return token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV ||
           token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV ||
           token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV;
}

// A shader group is the first token (VUID 02932), a pipeline as well (VUID 09585).
VkResult Reader::readChoice(const Token& token)
{
    uint32_t offset = 0;
    if (token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV) {
        offset = place(token, 1);
        m_layout.hasShaderGroups = true;
    } else if (token.tokenType == VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV) {
        offset = m_gathering.follow({token.stream, token.offset, 2});
        m_layout.hasPipelineNumbers = true;
        if (m_isChecked)
            m_layout.pipelineAddress = m_gathering.copy({token.stream, token.offset, 2});
    } else {
        if (token.indirectStateFlags != VK_INDIRECT_STATE_FLAG_FRONTFACE_BIT_NV)
            return refuse(VK_ERROR_FEATURE_NOT_PRESENT,
                          textOf(token) + ", has other state flags than FRONTFACE, which are not supported");
        offset = m_gathering.mask({token.stream, token.offset, 1}, 1);
        m_layout.hasFrontFaces = true;
    }
    if (!m_layout.layout.executionSet)
        m_layout.layout.executionSet = offset;
    return VK_SUCCESS;
}

VkResult Reader::readToken(const Token& token)
{
    commands::Layout& layout = m_layout.layout;
    switch (token.tokenType) {
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV: {
            commands::PushRange range;
            range.destination = token.pushconstantOffset;
            range.size = token.pushconstantSize;
            range.stages = token.pushconstantShaderStageFlags;
            range.streamOffset = place(token, token.pushconstantSize / 4);
            layout.pushRanges.push_back(range);
            return VK_SUCCESS;
        }
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV:
            std::erase_if(layout.vertexBuffers,
                          [&](const auto& earlier) { return earlier.binding == token.vertexBindingUnit; });
            layout.vertexBuffers.push_back({token.vertexBindingUnit, place(token, kBufferWords)});
            m_layout.needsStaticStrides |= !token.vertexDynamicStride;
            return VK_SUCCESS;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV:
            return readIndexBuffer(token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV:
            return readAction(Action::Draw, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV:
            return readAction(Action::DrawIndexed, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV:
            return readAction(Action::Dispatch, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV:
            if (m_hasMesh)
                return readAction(Action::DrawMesh, token);
            [[fallthrough]];
        default:
            return refuse(VK_ERROR_FEATURE_NOT_PRESENT, "the token " + nameOf(token.tokenType) + " is not supported");
    }
}

// The stream may have other numbers than VkIndexType. One that nobody explained is taken as it is.
VkResult Reader::readIndexBuffer(const Token& token)
{
    const uint32_t offset = place(token, kBufferWords);
    const uint32_t typeOffset = offsetof(VkBindIndexBufferIndirectCommandNV, indexType);
    for (uint32_t i = 0; i < token.indexTypeCount; ++i)
        m_gathering.replace({token.stream, token.offset + typeOffset, 1}, offset + typeOffset,
                            token.pIndexTypeValues[i], static_cast<uint32_t>(token.pIndexTypes[i]));
    m_layout.layout.indexBuffer = {commands::IndexBuffer::Types::Vulkan, offset};
    return VK_SUCCESS;
}

VkResult Reader::readAction(Action action, const Token& token)
{
    if (m_action)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "two tokens say what to do: " + textOf(*m_action) + ", and " +
                                                          textOf(token) +
                                                          " (VUID-VkIndirectCommandsLayoutCreateInfoNV-pTokens-02935)");
    m_action = &token;
    m_layout.layout.action = action;
    m_layout.layout.actionOffset = place(token, commands::actionBytes(action) / 4);
    return VK_SUCCESS;
}

std::shared_ptr<IndirectLayout> Reader::take()
{
    if (m_gathers)
        m_layout.gathering = std::move(m_gathering);
    return std::make_shared<IndirectLayout>(std::move(m_layout));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateIndirectCommandsLayoutNV(VkDevice handle,
                                                              const VkIndirectCommandsLayoutCreateInfoNV* pInfo,
                                                              const VkAllocationCallbacks*,
                                                              VkIndirectCommandsLayoutNV* pLayout)
{
    Device& device = Device::of(handle);
    *pLayout = VK_NULL_HANDLE;
    device.tellUnknown("vkCreateIndirectCommandsLayoutNV", unknownStructures(pInfo->pNext), kLayerAlone);
    Reader reader(device, *pInfo);
    const VkResult result = reader.read();
    if (result != VK_SUCCESS) {
        device.messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, handle),
                                "vkCreateIndirectCommandsLayoutNV: " + reader.problem(),
                                "docs/generated-commands.md says which tokens there are");
        return result;
    }
    std::shared_ptr<IndirectLayout> layout = reader.take();
    settleLayout(device, *layout, pInfo->flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_NV);
    *pLayout = handleOf<VkIndirectCommandsLayoutNV>(layout.get());
    device.indirectLayouts.insert(handleId(*pLayout), std::move(layout));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyIndirectCommandsLayoutNV(VkDevice handle, VkIndirectCommandsLayoutNV layout,
                                                           const VkAllocationCallbacks*)
{
    Device& device = Device::of(handle);
    device.indirectLayouts.remove(handleId(layout));
    device.privateData.removeObject(handleId(layout));
}

}  // namespace

EntryPoints streamLayoutEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateIndirectCommandsLayoutNV, kUseTokenStreams, true),
        MILLRACE_ENTRY(DestroyIndirectCommandsLayoutNV, kUseTokenStreams, true),
    };
    return entries;
}

}  // namespace millrace::layer

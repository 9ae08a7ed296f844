// SPDX-License-Identifier: Apache-2.0
// Indirect commands layouts: what the tokens say becomes commands::Layout, and what the layer cannot do is refused.
#include "layer/commands/indirect_layouts.h"

#include <span>
#include <string>
#include <utility>

#include "layer/chains/chain.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

using commands::Action;
using commands::PushRange;

const char* nameOf(VkIndirectCommandsTokenTypeEXT type)
{
    switch (type) {
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT:
            return "EXECUTION_SET";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT:
            return "PUSH_CONSTANT";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT:
            return "SEQUENCE_INDEX";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT:
            return "INDEX_BUFFER";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT:
            return "VERTEX_BUFFER";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT:
            return "DRAW_INDEXED";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT:
            return "DRAW";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_COUNT_EXT:
            return "DRAW_INDEXED_COUNT";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT:
            return "DRAW_COUNT";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT:
            return "DISPATCH";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV_EXT:
            return "DRAW_MESH_TASKS_NV";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_NV_EXT:
            return "DRAW_MESH_TASKS_COUNT_NV";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT:
            return "DRAW_MESH_TASKS";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT:
            return "DRAW_MESH_TASKS_COUNT";
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_TRACE_RAYS2_EXT:
            return "TRACE_RAYS2";
        default:
            return nullptr;
    }
}

// Reads the tokens of one layout. What it cannot read it says, and the result is then an error.
class Reader {
public:
    Reader(const Device& device, const VkIndirectCommandsLayoutCreateInfoEXT& info)
        : m_info(info), m_hasCounts(hasCountedDraws(device.support)), m_hasMesh(device.support.generatedMeshDraws)
    {
    }

    VkResult read();
    const commands::Layout& layout() const { return m_layout; }
    VkShaderStageFlags objectStages() const { return m_objectStages; }
    const std::string& problem() const { return m_problem; }

private:
    VkResult refuse(VkResult result, const std::string& problem)
    {
        m_problem = problem;
        return result;
    }
    VkResult absent(const std::string& what) { return refuse(VK_ERROR_FEATURE_NOT_PRESENT, what + " not supported"); }
    VkResult readToken(const VkIndirectCommandsLayoutTokenEXT& token);
    VkResult readExecutionSet(const VkIndirectCommandsLayoutTokenEXT& token);
    VkResult readPush(const VkIndirectCommandsLayoutTokenEXT& token, PushRange::Source source);
    VkResult readAction(Action action, const VkIndirectCommandsLayoutTokenEXT& token);

    const VkIndirectCommandsLayoutCreateInfoEXT& m_info;
    const bool m_hasCounts;
    const bool m_hasMesh;
    VkShaderStageFlags m_objectStages = 0;
    commands::Layout m_layout;
    bool m_hasAction = false;
    std::string m_actionName;
    std::string m_problem;
};

VkResult Reader::read()
{
    m_layout.stride = m_info.indirectStride;
    m_layout.stages = m_info.shaderStages;
    for (const VkIndirectCommandsLayoutTokenEXT& token : std::span(m_info.pTokens, m_info.tokenCount))
        if (const VkResult result = readToken(token); result != VK_SUCCESS)
            return result;
    if (!m_hasAction)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "no token says what to do");
    // Variants find push constants by themselves, so what the layout says is the application's affair.
    const bool hasLayout = m_info.pipelineLayout || findInChain<VkPipelineLayoutCreateInfo>(
                                                        m_info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    if (!m_layout.pushRanges.empty() && !hasLayout)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT,
                      "push constants without a pipeline layout, or VkPipelineLayoutCreateInfo in its place "
                      "(VUID-VkIndirectCommandsLayoutCreateInfoEXT-dynamicGeneratedPipelineLayout-11102)");
    if (isMesh(m_layout.action) && !m_hasMesh)
        return absent("the token " + m_actionName +
                      ", for which the driver lacks task and mesh shaders of "
                      "its own, or shaderDrawParameters, multiDrawIndirect or drawIndirectCount with a "
                      "maxDrawIndirectCount of " +
                      std::to_string(kMaxSequences) + ", is");
    if (isMesh(m_layout.action) && !m_layout.vertexBuffers.empty())
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "the token VERTEX_BUFFER needs draws without mesh shaders");
    if (m_layout.indexBuffer && !isIndexed(m_layout.action))
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT, "the token INDEX_BUFFER needs indexed draws");
    if (isCounted(m_layout.action) && !m_hasCounts)
        return absent("the token " + m_actionName + ", for which maxDrawIndirectCount of the device is too small, is");
    return VK_SUCCESS;
}

VkResult Reader::readToken(const VkIndirectCommandsLayoutTokenEXT& token)
{
    switch (token.type) {
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT:
            return readExecutionSet(token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT:
            return readPush(token, PushRange::Source::Stream);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT:
            return readPush(token, PushRange::Source::SequenceIndex);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT:
            m_layout.vertexBuffers.push_back({token.data.pVertexBuffer->vertexBindingUnit, token.offset});
            return VK_SUCCESS;
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT: {
            const bool isDxgi = token.data.pIndexBuffer->mode == VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT;
            m_layout.indexBuffer = {isDxgi ? commands::IndexBuffer::Types::Dxgi : commands::IndexBuffer::Types::Vulkan,
                                    token.offset};
            return VK_SUCCESS;
        }
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT:
            return readAction(Action::Dispatch, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT:
            return readAction(Action::Draw, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT:
            return readAction(Action::DrawIndexed, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT:
            return readAction(Action::DrawCount, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_COUNT_EXT:
            return readAction(Action::DrawIndexedCount, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT:
            return readAction(Action::DrawMesh, token);
        case VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT:
            return readAction(Action::DrawMeshCount, token);
        default: {
            const char* name = nameOf(token.type);
            return absent("the token " + (name ? std::string(name) : std::to_string(token.type)) + " is");
        }
    }
}

VkResult Reader::readExecutionSet(const VkIndirectCommandsLayoutTokenEXT& token)
{
    const VkIndirectCommandsExecutionSetTokenEXT& data = *token.data.pExecutionSet;
    if (data.type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT)
        m_objectStages = data.shaderStages & ~VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT};
    m_layout.executionSet = token.offset;
    return VK_SUCCESS;
}

VkResult Reader::readPush(const VkIndirectCommandsLayoutTokenEXT& token, PushRange::Source source)
{
    const VkPushConstantRange& range = token.data.pPushConstant->updateRange;
    PushRange push;
    push.source = source;
    push.destination = range.offset;
    push.size = range.size;
    push.stages = range.stageFlags;
    push.streamOffset = source == PushRange::Source::Stream ? token.offset : 0;
    m_layout.pushRanges.push_back(push);
    return VK_SUCCESS;
}

VkResult Reader::readAction(Action action, const VkIndirectCommandsLayoutTokenEXT& token)
{
    if (m_hasAction)
        return refuse(VK_ERROR_VALIDATION_FAILED_EXT,
                      "two tokens say what to do, " + m_actionName + " and " + nameOf(token.type) +
                          " (VUID-VkIndirectCommandsLayoutCreateInfoEXT-pTokens-11100)");
    m_hasAction = true;
    m_layout.action = action;
    m_layout.actionOffset = token.offset;
    m_actionName = nameOf(token.type);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateIndirectCommandsLayoutEXT(VkDevice handle,
                                                               const VkIndirectCommandsLayoutCreateInfoEXT* pInfo,
                                                               const VkAllocationCallbacks*,
                                                               VkIndirectCommandsLayoutEXT* pLayout)
{
    Device& device = Device::of(handle);
    *pLayout = VK_NULL_HANDLE;
    device.tellUnknown("vkCreateIndirectCommandsLayoutEXT", unknownStructures(pInfo->pNext), kLayerAlone);
    Reader reader(device, *pInfo);
    const VkResult result = reader.read();
    if (result != VK_SUCCESS) {
        device.messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, handle),
                                "vkCreateIndirectCommandsLayoutEXT: " + reader.problem(),
                                "docs/generated-commands.md says which tokens there are");
        return result;
    }
    auto layout = std::make_shared<IndirectLayout>();
    layout->layout = reader.layout();
    layout->objectStages = reader.objectStages();
    layout->isUnordered = pInfo->flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT;
    settleLayout(device, *layout, pInfo->flags & VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT);
    *pLayout = handleOf<VkIndirectCommandsLayoutEXT>(layout.get());
    device.indirectLayouts.insert(handleId(*pLayout), std::move(layout));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyIndirectCommandsLayoutEXT(VkDevice handle, VkIndirectCommandsLayoutEXT layout,
                                                            const VkAllocationCallbacks*)
{
    Device& device = Device::of(handle);
    device.indirectLayouts.remove(handleId(layout));
    device.privateData.removeObject(handleId(layout));
}

}  // namespace

namespace {

// The layer's mesh shaders read grids by address, and count by themselves.
void describeDraws(const Device& device, commands::Layout& layout)
{
    if (layout.action == Action::Dispatch || (isMesh(layout.action) && device.usesMesh()))
        return;
    layout.numbersDraws = device.support.numbersDraws;
    layout.countsDraws = device.support.countsDraws && layout.numbersDraws;
    layout.startsInstances = device.support.startsInstances;
}

std::shared_ptr<const IndirectLayout> countedLayout(const IndirectLayout& layout)
{
    if (layout.layout.action == Action::Dispatch || layout.layout.countsDraws || hasDrawTable(layout.layout))
        return nullptr;
    auto counted = std::make_shared<IndirectLayout>(layout);
    counted->layout.endsInTable = true;
    return counted;
}

std::shared_ptr<const IndirectLayout> combinedLayout(const Device& device, const IndirectLayout& layout)
{
    const bool hasSet = hasDrawTable(layout.layout) && layout.layout.executionSet;
    const bool isPlain = layout.objectStages == 0 && !layout.hasFrontFaces && !isMesh(layout.layout.action);
    if (!hasSet || !isPlain || !device.settings().combinedSets)
        return nullptr;
    auto combined = std::make_shared<IndirectLayout>(layout);
    combined->layout.combinedSet = std::exchange(combined->layout.executionSet, std::nullopt);
    combined->counted = countedLayout(*combined);
    return combined;
}

}  // namespace

void settleLayout(Device& device, IndirectLayout& layout, bool isExplicit)
{
    describeDraws(device, layout.layout);
    layout.counted = countedLayout(layout);
    layout.combined = combinedLayout(device, layout);
    const IndirectLayout& most = layout.counted ? *layout.counted : layout;
    if (runsInFront(*device.generatedCommands, most, isExplicit))
        device.needsFronts = true;
    if (layout.layout.executionSet && layout.layout.action != commands::Action::Dispatch && layout.streamCount == 0 &&
        device.settings().lateMembers)
        device.dividesPasses = true;
}

EntryPoints indirectLayoutEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateIndirectCommandsLayoutEXT, kUseCommands, true),
        MILLRACE_ENTRY(DestroyIndirectCommandsLayoutEXT, kUseCommands, true),
    };
    return entries;
}

}  // namespace millrace::layer

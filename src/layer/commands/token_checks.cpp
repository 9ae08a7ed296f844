// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/token_checks.h"

#include <algorithm>

#include "abi/mesh.h"
#include "layer/commands/generated_commands.h"
#include "layer/commands/indirect_layouts.h"
#include "layer/commands/token_names.h"
#include "layer/loader/device.h"
#include "layer/objects/kernel_code.h"
#include "runtime/host_memory.h"
#include "shaders/commands.h"

namespace millrace::layer {

namespace {

using commands::Action;

constexpr uint32_t kWordBytes = 4;
constexpr uint32_t kBufferBytes = 16;  // of the commands that name one

abi::TokenCheck plain(uint32_t place, uint32_t bytes)
{
    abi::TokenCheck check{};
    check.place = place;
    check.bytes = bytes;
    check.alignment = 1;
    check.numbers = UINT32_MAX;
    return check;
}

CheckedToken vertexBuffer(const commands::VertexBuffer& buffer, const StreamRules& rules, uint32_t maxStride)
{
    CheckedToken token{plain(buffer.streamOffset, kBufferBytes),
                       "VERTEX_BUFFER of binding " + std::to_string(buffer.binding), "", ""};
    token.check.kind = abi::kTokenVertexBuffer;
    token.check.usage = abi::kAddressVertex;
    for (const commands::VertexInput& input : rules.inputs) {
        token.check.alignment = std::max(token.check.alignment, bindingAlignment(input, buffer.binding));
        const auto found = std::ranges::find(input.bindings, buffer.binding, &commands::VertexBinding::binding);
        if (found != input.bindings.end() && !found->strideBytes)
            token.check.most = maxStride;
    }
    return token;
}

CheckedToken action(const commands::Layout& layout, const StreamRules& rules)
{
    CheckedToken token{plain(layout.actionOffset, actionBytes(layout.action)), nameOf(layout.action), "", ""};
    abi::TokenCheck& check = token.check;
    check.grids = isMesh(layout.action);
    if (isCounted(layout.action)) {
        check.kind = abi::kTokenDrawCount;
        check.usage = abi::kAddressIndirect;
        check.alignment = kWordBytes;
        check.most = rules.maxDrawCount;
        check.commandBytes = commandBytes(layout.action);
    } else if (layout.action == Action::Dispatch || isMesh(layout.action)) {
        check.kind = abi::kTokenGrid;
    }
    return token;
}

// Where the application has it, and how far that goes.
void placeToken(const IndirectLayout& layout, const StreamRules& rules, CheckedToken& token)
{
    const uint32_t place = token.check.place;
    const auto part = layout.gathering ? layout.gathering->partAt(place) : std::nullopt;
    const commands::StreamPart own = part.value_or(commands::StreamPart{layout.onlyStream, place, 0});
    const std::string stream = layout.streamCount == 0 ? "the stream" : "stream " + std::to_string(own.stream);
    token.place = "byte " + std::to_string(own.offset) + " of " + (layout.streamCount == 0 ? "the record" : stream);
    if (part)
        token.check.numbers = layout.gathering->numbers(own, rules.streams[own.stream]);
    token.end =
        stream + ", which has " + std::to_string(part ? rules.streams[own.stream] : rules.streamBytes) + " bytes";
}

}  // namespace

std::vector<CheckedToken> checkedTokens(const IndirectLayout& of, const StreamRules& rules, uint32_t maxStride)
{
    const commands::Layout& layout = of.layout;
    std::vector<CheckedToken> tokens;
    tokens.push_back({plain(0, 0), "", "", ""});
    tokens.back().check.kind = abi::kTokenStream;
    if (of.hasPipelineNumbers) {
        tokens.push_back({plain(of.pipelineAddress, 2 * kWordBytes), nameOf(Chooser::Pipeline), "", ""});
        tokens.back().check.kind = abi::kTokenPipeline;
    } else if (layout.executionSet) {
        tokens.push_back({plain(*layout.executionSet, kWordBytes * rules.setStages), nameOf(chooserOf(of)), "", ""});
        tokens.back().check.kind = abi::kTokenSet;
        if (of.hasShaderGroups && of.hasFrontFaces)
            tokens.push_back(
                {plain(*layout.executionSet + kWordBytes, kWordBytes), nameOf(Chooser::StateFlags), "", ""});
    }
    for (const commands::PushRange& range : layout.pushRanges)
        if (range.source == commands::PushRange::Source::Stream)
            tokens.push_back({plain(range.streamOffset, range.size),
                              "PUSH_CONSTANT of offset " + std::to_string(range.destination), "", ""});
    for (const commands::VertexBuffer& buffer : layout.vertexBuffers)
        tokens.push_back(vertexBuffer(buffer, rules, maxStride));
    if (layout.indexBuffer) {
        tokens.push_back({plain(layout.indexBuffer->streamOffset, kBufferBytes), "INDEX_BUFFER", "", ""});
        tokens.back().check.kind = abi::kTokenIndexBuffer;
        tokens.back().check.usage = abi::kAddressIndex;
    }
    tokens.push_back(action(layout, rules));
    for (CheckedToken& token : tokens)
        placeToken(of, rules, token);
    return tokens;
}

TokenChecks::~TokenChecks()
{
    m_device.table.DestroyPipeline(m_device.handle, m_pipeline, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_layout, runtime::hostMemory());
}

VkResult TokenChecks::create()
{
    askLimits();
    VkResult result =
        createKernelLayout(m_device, sizeof(abi::CheckArguments), "layout of the check of sequences", m_layout);
    if (result == VK_SUCCESS)
        result = createKernel(m_device, shaders::commands_check, m_layout, "check sequences", m_pipeline);
    return result == VK_SUCCESS ? addresses.create(m_device.generatedCommands->memory) : result;
}

void TokenChecks::askLimits()
{
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    if (m_device.support.generatedMeshDraws && !m_device.usesMesh())
        all.pNext = &mesh;
    m_device.instance.table.GetPhysicalDeviceProperties2(m_device.physical, &all);
    std::ranges::copy(all.properties.limits.maxComputeWorkGroupCount, m_dispatch.groups.begin());
    m_maxVertexStride = all.properties.limits.maxVertexInputBindingStride;
    if (m_device.usesMesh()) {
        m_mesh.groups.fill(kMaxMeshGroupsPerDimension);
        m_mesh.total = abi::kMaxMeshGroups;
        m_task = m_mesh;
        return;
    }
    std::ranges::copy(mesh.maxMeshWorkGroupCount, m_mesh.groups.begin());
    m_mesh.total = mesh.maxMeshWorkGroupTotalCount;
    std::ranges::copy(mesh.maxTaskWorkGroupCount, m_task.groups.begin());
    m_task.total = mesh.maxTaskWorkGroupTotalCount;
}

void TokenChecks::record(VkCommandBuffer commandBuffer, abi::CheckArguments arguments) const
{
    constexpr uint32_t kInvocations = 128;
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
    for (arguments.isSecond = 0; arguments.isSecond < 2; ++arguments.isSecond) {
        table.CmdPushConstants(commandBuffer, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
        table.CmdDispatch(commandBuffer, (arguments.maxSequenceCount + kInvocations - 1) / kInvocations, 1, 1);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
        table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                                 nullptr, 0, nullptr);
    }
}

}  // namespace millrace::layer

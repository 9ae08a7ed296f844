// SPDX-License-Identifier: Apache-2.0
// Rules for what is recorded.
#include <cstring>

#include "layer/graphs/mesh_nodes.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"

namespace millrace::layer {

namespace {

std::string hex(uint64_t value)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    do
        text.insert(text.begin(), kDigits[value % 16]);
    while (value /= 16);
    return "0x" + text;
}

constexpr char kGiveInfos[] = "Give the address of VkDispatchGraphInfoAMDX structures, or a count of 0";
constexpr char kTakeIndex[] =
    "Take indices from vkGetExecutionGraphPipelineNodeIndexAMDX, of nodes that the API may dispatch";
constexpr char kAlignScratch[] = "Take an address at a multiple of 64 bytes in a buffer";

std::string textOf(const char* text)
{
    return text;
}

template <typename Build>
std::string textOf(const Build& build)
{
    return build();
}

// Collects the checks of one command. Most commands keep all rules, so texts that are not constant come as functions,
// which are called when a message is due.
class Checker {
public:
    Checker(CommandBuffer& commandBuffer, const char* command)
        : m_commandBuffer(commandBuffer), m_command(command), m_advises(commandBuffer.device.settings().validate)
    {
    }

    // Rules whose violation would do harm: the command is left out.
    template <typename Text>
    void require(bool holds, const char* rule, const Text& text, std::string_view advice)
    {
        if (!holds) [[unlikely]]
            refuse(rule, textOf(text), advice);
    }

    // Others, with the setting "validate".
    template <typename Text>
    void advise(bool holds, const char* rule, const Text& text, std::string_view advice) const
    {
        if (!holds && m_advises) [[unlikely]]
            tell(rule, textOf(text), advice);
    }

    bool advises() const { return m_advises; }
    bool passed() const { return m_passed; }

private:
    void refuse(const std::string& rule, const std::string& text, std::string_view advice)
    {
        m_passed = false;
        if (m_commandBuffer.isNews(rule, text))
            m_commandBuffer.device.messages().error(nameOf(rule).c_str(), m_commandBuffer.reference(),
                                                    m_command + (": " + text) + "; the command is ignored", advice);
    }

    void tell(const std::string& rule, const std::string& text, std::string_view advice) const
    {
        if (m_commandBuffer.isNews(rule, text))
            m_commandBuffer.device.messages().validation(nameOf(rule).c_str(), m_commandBuffer.reference(),
                                                         m_command + (": " + text), advice);
    }

    // "scratch-10194" is short for "VUID-<command>-scratch-10194".
    std::string nameOf(const std::string& rule) const
    {
        const bool complete = rule.starts_with("Millrace") || rule.starts_with("VUID");
        return complete ? rule : std::string("VUID-") + m_command + "-" + rule;
    }

    CommandBuffer& m_commandBuffer;
    const char* m_command;
    const bool m_advises;
    bool m_passed = true;
};

bool isProtected(const CommandBuffer& commandBuffer)
{
    return commandBuffer.pool.flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
}

// What both kinds of commands demand of where they are recorded. `level` and `unprotected` are the rules' names.
void checkPlace(Checker& checker, const CommandBuffer& commandBuffer, const char* level, const char* unprotected)
{
    checker.require(commandBuffer.primary, level, "not possible in a secondary command buffer",
                    "Record it in a primary command buffer");
    checker.require(!isProtected(commandBuffer), unprotected, "not possible in a protected command buffer",
                    "Take a command pool without VK_COMMAND_POOL_CREATE_PROTECTED_BIT");
    checker.require(commandBuffer.pool.canCompute(), "commandBuffer-cmdpool",
                    "the command pool is for queues that can neither compute nor draw",
                    "Take a queue family with VK_QUEUE_COMPUTE_BIT");
    checker.require(!commandBuffer.rendering.videoCoding, "videocoding", "not possible in a video coding scope",
                    "Record it before vkCmdBeginVideoCodingKHR or behind vkCmdEndVideoCodingKHR");
}

void checkRendering(Checker& checker, const CommandBuffer& commandBuffer)
{
    if (const char* obstacle = commandBuffer.rendering.obstacleToDispatch())
        checker.require(
            false, "Millrace-graph-in-render-pass", [&] { return std::string("not supported ") + obstacle; },
            "Dispatch the graph before or behind that");
}

void checkScratchSize(Checker& checker, const GraphObject& object, VkDeviceSize bytes, const char* rule)
{
    const auto text = [&] {
        return "scratchSize is " + std::to_string(bytes) + ", minSize of " + object.name() + " is " +
               std::to_string(object.graph.sizes.minBytes);
    };
    checker.require(bytes >= object.graph.sizes.minBytes, rule, text,
                    "Take a size from vkGetExecutionGraphPipelineScratchSizeAMDX");
}

void checkAlignment(Checker& checker, VkDeviceAddress scratch, const char* rule)
{
    checker.require(
        scratch != 0 && scratch % 64 == 0, rule,
        [&] { return "scratch is " + hex(scratch) + ", not a multiple of 64"; }, kAlignScratch);
}

// `range` is the rule that memory must be there, `usage` that it must have been created for this, or null.
void adviseMemory(const Checker& checker, const Device& device, const char* name, VkDeviceAddress address,
                  VkDeviceSize bytes, VkBufferUsageFlags2 wanted, const char* range, const char* usage)
{
    if (!checker.advises())
        return;
    const auto found = device.addressedBuffers.find(address);
    const auto isNot = [&] {
        return std::string(name) + " " + hex(address) + " is not an address in a buffer with " + std::to_string(bytes) +
               " bytes from there on";
    };
    checker.advise(
        found && found->bytesFromHere >= bytes, range, isNot,
        "Take the address from vkGetBufferDeviceAddress, of a buffer that is bound to memory and large enough");
    if (!usage)
        return;
    const auto lacksUsage = [&] {
        return std::string(name) + " " + hex(address) + " lies in a buffer created without the usage " +
               (wanted == VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT ? "INDIRECT_BUFFER" : "EXECUTION_GRAPH_SCRATCH");
    };
    checker.advise(!found || (found->usage & wanted), usage, lacksUsage, "Create the buffer with this usage");
}

using Form = runtime::DispatchRequest::Form;

// Pointers without which the host or the device would read from address 0.
void checkPointers(Checker& checker, const runtime::DispatchRequest& request)
{
    if (request.form == Form::IndirectCount) {
        checker.require(request.countAddress != 0, "countInfo-09159", "countInfo is 0",
                        "Give the address of a VkDispatchGraphCountInfoAMDX");
        return;
    }
    checker.require(request.countInfo, "pCountInfo-parameter", "pCountInfo is NULL",
                    "Give a VkDispatchGraphCountInfoAMDX");
    if (!request.countInfo || request.countInfo->count == 0)
        return;
    if (request.form == Form::Host)
        checker.require(request.countInfo->infos.hostAddress, "pCountInfo-09145", "infos is NULL", kGiveInfos);
    else
        checker.require(request.countInfo->infos.deviceAddress != 0, "pCountInfo-09150", "infos is 0", kGiveInfos);
}

// The host structure of a dispatch with this number. A wrong node index does no harm: the device drops and reports it.
void checkHostInfo(Checker& checker, const GraphObject& object, const VkDispatchGraphInfoAMDX& info, uint32_t number)
{
    const graph::Graph& graph = object.graph.graph;
    const bool exists = info.nodeIndex < graph.nodes.size();
    const uint32_t payloadBytes = exists ? graph.nodes[info.nodeIndex].declared.payloadBytes : 0;
    const auto member = [&](const char* text) { return "infos[" + std::to_string(number) + "]" + text; };
    checker.advise(
        exists, "pCountInfo-09148",
        [&] {
            return member(".nodeIndex is ") + std::to_string(info.nodeIndex) + ", which is no node of " + object.name();
        },
        kTakeIndex);
    checker.advise(
        !exists || graph.apiQueues[info.nodeIndex] != abi::kNoQueue, "pCountInfo-09148",
        [&] {
            return member(
                ".nodeIndex is a node that the API must not dispatch (IsApiEntryAMDX false, or it shares the input of "
                "another node)");
        },
        kTakeIndex);
    checker.require(
        info.payloadCount <= abi::kMaxApiPayloads, "VUID-VkDispatchGraphInfoAMDX-payloadCount-09171",
        [&] {
            return member(".payloadCount is ") + std::to_string(info.payloadCount) +
                   ", above maxExecutionGraphShaderPayloadCount";
        },
        "Dispatch them in several infos");
    checker.require(
        info.payloads.hostAddress || info.payloadCount == 0 || payloadBytes == 0, "pCountInfo-09147",
        [&] { return member(".payloads is NULL"); }, "Give the address of the payloads");
    // Stride 0 gives all payloads the same data.
    checker.advise(
        info.payloadCount < 2 || info.payloadStride == 0 || info.payloadStride >= payloadBytes, "pCountInfo-09149",
        [&] { return member(".payloadStride is smaller than the input payload of the node"); },
        "Give the bytes from one payload to the next, or 0 if all are the same");
}

void checkHostInfos(Checker& checker, const GraphObject& object, const VkDispatchGraphCountInfoAMDX& countInfo)
{
    const auto* at = static_cast<const std::byte*>(countInfo.infos.hostAddress);
    for (uint32_t i = 0; i < countInfo.count; ++i, at += countInfo.stride) {
        VkDispatchGraphInfoAMDX info;
        std::memcpy(&info, at, sizeof info);
        checkHostInfo(checker, object, info, i);
    }
}

// The device address that a dispatch begins with.
void adviseArguments(const Checker& checker, const Device& device, const runtime::DispatchRequest& request)
{
    if (request.form == Form::Host)
        return;
    const bool counted = request.form == Form::IndirectCount;
    const VkDeviceAddress address = counted ? request.countAddress : request.countInfo->infos.deviceAddress;
    const VkDeviceSize bytes = counted ? sizeof(VkDispatchGraphCountInfoAMDX)
                                       : VkDeviceSize{request.countInfo->count} * request.countInfo->stride;
    if (bytes == 0)
        return;
    checker.advise(
        address % kDispatchAddressAlignment == 0, counted ? "countInfo-09161" : "pCountInfo-09152",
        [&] { return hex(address) + " is not a multiple of executionGraphDispatchAddressAlignment"; },
        "Place the structure at a multiple of it in its buffer");
    adviseMemory(checker, device, counted ? "countInfo" : "infos", address, bytes,
                 VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT, counted ? "countInfo-09159" : "pCountInfo-09150",
                 counted ? "countInfo-09160" : "pCountInfo-09151");
}

}  // namespace

bool checkInitialize(CommandBuffer& commandBuffer, const GraphObject& object, VkDeviceAddress scratch,
                     VkDeviceSize scratchBytes)
{
    Checker checker(commandBuffer, "vkCmdInitializeGraphScratchMemoryAMDX");
    checkPlace(checker, commandBuffer, "bufferlevel", "Millrace-protected-command-buffer");
    checkRendering(checker, commandBuffer);
    checkScratchSize(checker, object, scratchBytes, "scratchSize-10186");
    checkAlignment(checker, scratch, "scratch-09144");
    adviseMemory(checker, commandBuffer.device, "scratch", scratch, scratchBytes,
                 VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX, "scratch-10185", nullptr);
    if (checker.passed())
        commandBuffer.initialized[scratch] = object.graph.graphId;
    return checker.passed();
}

bool checkDispatch(CommandBuffer& commandBuffer, const GraphObject& object, const char* command,
                   const runtime::DispatchRequest& request)
{
    Checker checker(commandBuffer, command);
    checkPlace(checker, commandBuffer, "commandBuffer-09182", "commandBuffer-09181");
    if (!runsInFront(commandBuffer, object))
        checkRendering(checker, commandBuffer);
    checker.require(!object.hasMeshNodes() || commandBuffer.rendering.inside(), "None-10195",
                    "the graph has mesh nodes, and no render pass instance is active",
                    "Dispatch it inside a render pass instance that its mesh nodes are compatible with");
    checkPointers(checker, request);
    checkScratchSize(checker, object, request.scratchBytes, "scratchSize-10193");
    // No rule of this command says so, yet such memory cannot have been initialized (09144).
    checkAlignment(checker, request.scratch, "scratch-10194");
    adviseMemory(checker, commandBuffer.device, "scratch", request.scratch, request.scratchBytes,
                 VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX, "scratch-10192", "scratch-09184");
    const auto known = commandBuffer.initialized.find(request.scratch);
    checker.advise(known == commandBuffer.initialized.end() || known->second == object.graph.graphId, "scratch-10194",
                   "the scratch memory was initialized for another execution graph pipeline",
                   "Record vkCmdInitializeGraphScratchMemoryAMDX with this pipeline, and a compute barrier");
    if (!checker.passed())
        return false;
    adviseArguments(checker, commandBuffer.device, request);
    if (request.form == Form::Host)
        checkHostInfos(checker, object, *request.countInfo);
    return checker.passed();
}

}  // namespace millrace::layer

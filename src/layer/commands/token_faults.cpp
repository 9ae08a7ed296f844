// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/token_faults.h"

#include <cinttypes>
#include <cstdio>

#include "layer/commands/address_tables.h"

namespace millrace::layer {

namespace {

constexpr char kOwnRule[] = "Millrace-token-stream";

std::string hex(uint64_t address)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, address);
    return text;
}

uint64_t addressOf(const abi::TokenFinding& finding)
{
    return finding.words[0] | (uint64_t{finding.words[1]} << 32);
}

std::string gridText(const abi::TokenFinding& finding)
{
    return std::to_string(finding.words[0]) + " x " + std::to_string(finding.words[1]) + " x " +
           std::to_string(finding.words[2]);
}

const char* usageName(uint32_t usage)
{
    constexpr const char* kNames[] = {"VK_BUFFER_USAGE_VERTEX_BUFFER_BIT", "VK_BUFFER_USAGE_INDEX_BUFFER_BIT",
                                      "VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT"};
    return kNames[usage];
}

TokenFault explainAddress(const abi::TokenCheck& check, const abi::TokenFinding& finding, const FaultContext& context)
{
    constexpr const char* kRules[] = {"VUID-VkBindVertexBufferIndirectCommandEXT-None-11120",
                                      "VUID-VkBindIndexBufferIndirectCommandEXT-None-11117",
                                      "VUID-VkDrawIndirectCountIndirectCommandEXT-None-11122"};
    const uint64_t bytes = finding.words[2] | (uint64_t{finding.words[3]} << 32);
    return {kRules[check.usage], bufferProblem(context.buffers, check, addressOf(finding), bytes),
            "Write an address from vkGetBufferDeviceAddress of a buffer that exists when the commands run, and no more "
            "bytes than it has from there on"};
}

TokenFault explainGrid(const abi::TokenCheck& check, const abi::TokenFinding& finding, const FaultContext& context)
{
    const abi::CheckArguments& limits = context.arguments;
    std::string draw;
    if (check.kind == abi::kTokenDrawCount)
        draw = "of draw " + std::to_string(finding.words[3]) + " ";
    uint32_t dimension = 0;
    while (dimension < 3 && finding.words[dimension] <= limits.maxGrid[dimension])
        ++dimension;
    const uint32_t first = context.hasTask ? 7322 : 7326;
    const std::string rule =
        context.isDispatch ? std::string("VUID-VkDispatchIndirectCommand-") + "xyz"[dimension % 3] + "-0041" +
                                 std::to_string(7 + dimension % 3)
                           : "VUID-VkDrawMeshTasksIndirectCommandEXT-TaskEXT-0" + std::to_string(first + dimension);
    std::string limit = std::to_string(limits.maxGrid[0]) + " x " + std::to_string(limits.maxGrid[1]) + " x " +
                        std::to_string(limits.maxGrid[2]);
    if (!context.isDispatch)
        limit += ", " + std::to_string(limits.maxGridTotal) + " together";
    return {rule, "the grid " + draw + "is " + gridText(finding) + " workgroups, and the device has at most " + limit,
            "Write smaller grids, in more sequences"};
}

TokenFault explainStride(const abi::TokenCheck& check, const abi::TokenFinding& finding)
{
    std::string text = "the stride is " + std::to_string(finding.words[0]) + ", which ";
    if (finding.words[0] % check.alignment != 0)
        text += "is no multiple of " + std::to_string(check.alignment);
    else
        text += "is more than maxVertexInputBindingStride, " + std::to_string(check.most);
    return {kOwnRule, text, "Write a stride that the attributes or commands of the buffer allow"};
}

TokenFault explainCount(const abi::TokenCheck& check, const abi::TokenFinding& finding)
{
    const std::string most = std::to_string(finding.words[1]);
    if (check.kind == abi::kTokenStream)
        return {"VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-11068",
                "the sequence count is " + std::to_string(finding.words[0]) + ", and maxSequenceCount " + most +
                    "; as many run",
                "Give a larger maxSequenceCount, or count no more"};
    return {kOwnRule,
            "there are " + std::to_string(finding.words[0]) + " draws, and the command allows " + most +
                "; as many are drawn",
            "Give a larger maxDrawCount, or count no more"};
}

// What sequences choose from, at the end of a sentence.
std::string whatThereIs(const FaultContext& context)
{
    const std::string size = std::to_string(context.placeCount);
    switch (context.chooser) {
        case Chooser::ShaderGroup:
            return "the shader groups of the pipeline, which has " + size;
        case Chooser::StateFlags:
            return "the front faces that there are pipelines with";
        default:
            return "the execution set, which has " + size;
    }
}

// Of an execution set.
TokenFault explainEmptyPlace(const std::string& index, const FaultContext& context)
{
    const std::string had = "at " + index + " the execution set had nothing that fits when the ";
    switch (context.taken) {
        case MembersTaken::Submitted:
            return {kOwnRule, had + "command buffer was submitted; the sequence is left out",
                    "Put a pipeline or shader there (vkUpdateIndirectExecutionSet*EXT) before the submission"};
        case MembersTaken::Preprocessed:
            return {kOwnRule,
                    had + "preprocessing was recorded; the sequence is left out unless the execution finds something",
                    "Put a pipeline or shader there (vkUpdateIndirectExecutionSet*EXT) before the preprocessing is "
                    "recorded"};
        default:
            return {kOwnRule, had + "command was recorded, which has no stream of its own; the sequence is left out",
                    "Put a pipeline or shader there (vkUpdateIndirectExecutionSet*EXT) before the command is "
                    "recorded; docs/generated-commands.md says under Sets that change behind the recording which "
                    "commands take what is there when they are submitted"};
    }
}

TokenFault explainPipeline(const abi::TokenFinding& finding)
{
    const std::string address = hex(addressOf(finding));
    switch (finding.words[2]) {
        case abi::kPipelineUnknown:
            return {"VUID-VkBindPipelineIndirectCommandNV-None-09094",
                    "no pipeline has the address " + address + "; the sequence is left out",
                    "Write addresses from vkGetPipelineIndirectDeviceAddressNV of pipelines that exist"};
        case abi::kPipelineUnplaced:
            return {"VUID-VkBindPipelineIndirectCommandNV-None-09093",
                    "the address of the pipeline, " + address + ", is in no buffer any more",
                    "Keep the memory of a pipeline for as long as the pipeline"};
        default:
            return {"VUID-VkBindPipelineIndirectCommandNV-None-09093",
                    "the memory of the pipeline, at the address " + address + ", was not updated",
                    "Record vkCmdUpdatePipelineIndirectBufferNV in front, with a barrier behind it"};
    }
}

TokenFault explainPlace(const abi::TokenCheck& check, const std::string& end, const abi::TokenFinding& finding,
                        const FaultContext& context)
{
    const abi::CheckArguments& arguments = context.arguments;
    if (check.kind == abi::kTokenStream)
        return {kOwnRule,
                "sequencesIndexBuffer has " + std::to_string(arguments.indexCount) +
                    " numbers of sequences, and there are more; those behind are left out",
                "Give a buffer with a number for each sequence, or count no more"};
    if (check.numbers == UINT32_MAX)
        return {kOwnRule, "it lies behind the end of " + end,
                "Give an indirectAddressSize, or a buffer, for all sequences that there are"};
    std::string text = "it lies behind the end of " + end + " from its offset on";
    if (arguments.sequenceIndices)
        text += ", since the sequence has the number " + std::to_string(finding.words[0]) + " in sequencesIndexBuffer";
    return {kOwnRule, text + "; the sequence is left out",
            "Give buffers for all sequences that there are, and numbers of those"};
}

TokenFault explainMember(const abi::TokenFinding& finding, const FaultContext& context)
{
    const char* const rule =
        context.chooser == Chooser::ShaderGroup ? "VUID-VkBindShaderGroupIndirectCommandNV-index-02945" : kOwnRule;
    if (context.chooser == Chooser::Pipeline)
        return explainPipeline(finding);
    const std::string index = "index " + std::to_string(finding.words[0]);
    const std::string stage =
        context.arguments.setStages > 1 ? " (number " + std::to_string(finding.words[1]) + " of the token)" : "";
    if (finding.words[0] >= context.placeCount)
        return {rule, index + stage + " is beyond " + whatThereIs(context) + "; the sequence is left out",
                context.chooser == Chooser::ExecutionSet ? "Write indices of the set, or make it larger"
                                                         : "Write indices that there are"};
    if (finding.words[2] != 0)
        return {"VUID-RuntimeSpirv-OpEntryPoint-08743",
                "a shader of the execution set reads what the one in front of it, by the token's indices, does not "
                "declare; the sequence is left out",
                "Write indices of shaders that fit together"};
    if (context.chooser == Chooser::ExecutionSet)
        return explainEmptyPlace(index + stage, context);
    return {rule, index + stage + " is none of " + whatThereIs(context) + "; the sequence is left out",
            "Write indices that there are"};
}

}  // namespace

std::string bufferProblem(const AddressedBuffers& buffers, const abi::TokenCheck& check, uint64_t address,
                          uint64_t bytes)
{
    const VkBufferUsageFlags2 usage = usageOf(check.usage);
    if (buffers.find(address, bytes, usage))
        return {};
    const std::string what = "the address " + hex(address);
    if (buffers.find(address, bytes, 0))
        return what + " is of a buffer without " + usageName(check.usage);
    const auto beginning = buffers.find(address, 1, usage);
    if (beginning)
        return what + " is of a buffer that has " + std::to_string(beginning->bytesFromHere) +
               " bytes from there on, of which " + std::to_string(bytes) + " are named";
    return what + " is in no buffer whose address was asked for";
}

TokenFault explain(const abi::TokenCheck& check, const std::string& end, uint32_t fault,
                   const abi::TokenFinding& finding, const FaultContext& context)
{
    switch (fault) {
        case abi::kFaultPlace:
            return explainPlace(check, end, finding, context);
        case abi::kFaultMember:
            return explainMember(finding, context);
        case abi::kFaultAddress:
            return explainAddress(check, finding, context);
        case abi::kFaultAlignment:
            return {check.kind == abi::kTokenIndexBuffer
                        ? "VUID-VkBindIndexBufferIndirectCommandEXT-bufferAddress-11118"
                        : kOwnRule,
                    "the address " + hex(addressOf(finding)) + " is no multiple of " + std::to_string(finding.words[2]),
                    "Write an address that is a multiple of what is read there"};
        case abi::kFaultStride:
            return explainStride(check, finding);
        case abi::kFaultType:
            return {"VUID-VkBindIndexBufferIndirectCommandEXT-indexType-parameter",
                    "the index type is " + std::to_string(finding.words[0]) + ", which is none of the layout's mode",
                    "Write a VkIndexType, or with VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT a DXGI_FORMAT"};
        case abi::kFaultCount:
            return explainCount(check, finding);
        default:
            return explainGrid(check, finding, context);
    }
}

}  // namespace millrace::layer

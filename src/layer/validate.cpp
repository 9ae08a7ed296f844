// SPDX-License-Identifier: Apache-2.0
#include "layer/validate.h"

#include <array>

#include "layer/command_buffer.h"
#include "layer/command_pool.h"
#include "layer/pipelines.h"

namespace millrace::layer {

namespace {

constexpr std::string_view kRules[] = {
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-stage-09128",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-09131",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-09133",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09135",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09136",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-CoalescedInputCountAMDX-09137",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139",
    "VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184",
    "VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186",
    "VUID-vkCmdDispatchGraphAMDX-maxExecutionGraphShaderPayloadCount-09187",
    "VUID-RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09195",
    "VUID-RuntimeSpirv-maxExecutionGraphShaderOutputNodes-09197",
};

// The full name of the rule that a text names as "VUID 09134".
const char* ruleIn(const std::string& text)
{
    constexpr std::string_view kMark = "VUID ";
    const size_t mark = text.rfind(kMark);
    if (mark != std::string::npos) {
        const std::string number = "-" + text.substr(mark + kMark.size(), 5);
        for (std::string_view rule : kRules)
            if (rule.ends_with(number))
                return rule.data();
    }
    return "Millrace-graph-link";
}

std::string hex(uint64_t value)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    do
        text.insert(text.begin(), kDigits[value % 16]);
    while (value /= 16);
    return "0x" + text;
}

// Collects the checks of one command.
class Checker {
public:
    Checker(const CommandBuffer& commandBuffer, std::string command)
        : m_commandBuffer(commandBuffer), m_command(std::move(command))
    {
    }

    // Rules whose violation would do harm: the command is left out.
    void require(bool holds, const std::string& rule, const std::string& text)
    {
        if (holds)
            return;
        m_passed = false;
        m_commandBuffer.device.messages().error(nameOf(rule).c_str(), m_commandBuffer.reference(),
                                                m_command + ": " + text + "; the command is ignored");
    }

    // Others, with the setting "validate".
    void advise(bool holds, const std::string& rule, const std::string& text) const
    {
        if (!holds && m_commandBuffer.device.settings().validate)
            m_commandBuffer.device.messages().validation(nameOf(rule).c_str(), m_commandBuffer.reference(),
                                                         m_command + ": " + text);
    }

    bool passed() const { return m_passed; }

private:
    // "scratch-10194" is short for "VUID-<command>-scratch-10194".
    std::string nameOf(const std::string& rule) const
    {
        return rule.starts_with("Millrace") ? rule : "VUID-" + m_command + "-" + rule;
    }

    const CommandBuffer& m_commandBuffer;
    std::string m_command;
    bool m_passed = true;
};

void adviseCreation(const Device& device, bool holds, const char* rule, const std::string& text)
{
    if (!holds)
        device.messages().validation((std::string("VUID-VkExecutionGraphPipelineCreateInfoAMDX-") + rule).c_str(),
                                     objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                     "vkCreateExecutionGraphPipelinesAMDX: " + text);
}

bool isProtected(const CommandBuffer& commandBuffer)
{
    return commandBuffer.pool.flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
}

}  // namespace

void reportRule(const Device& device, const std::string& text)
{
    device.messages().error(ruleIn(text), objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                            "vkCreateExecutionGraphPipelinesAMDX: " + text);
}

void validateGraphCreation(const Device& device, const VkExecutionGraphPipelineCreateInfoAMDX& createInfo)
{
    const VkPipelineCreateFlags2 flags = pipelineFlags(createInfo.pNext, createInfo.flags);
    adviseCreation(device,
                   !(flags & (VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT |
                              VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT)),
                   "flags-12334", "flags must not include the bits for protected access");
    adviseCreation(device, createInfo.layout != VK_NULL_HANDLE, "layout-11363", "layout is VK_NULL_HANDLE");
    for (uint32_t i = 0; i < createInfo.stageCount; ++i)
        adviseCreation(device, createInfo.pStages[i].stage == VK_SHADER_STAGE_COMPUTE_BIT, "stage-09128",
                       "stage " + std::to_string(i) + " is not VK_SHADER_STAGE_COMPUTE_BIT");
    const PipelineLayout* layout = device.pipelineLayouts.find(handleId(createInfo.layout));
    const VkPipelineLibraryCreateInfoKHR* info = createInfo.pLibraryInfo;
    for (uint32_t i = 0; info && i < info->libraryCount; ++i) {
        const std::string name = "library " + std::to_string(i);
        const GraphObject* library = device.graphObjects.find(handleId(info->pLibraries[i]));
        adviseCreation(device, library, "pLibraryInfo-09133",
                       name + " is neither a compute pipeline for graphs nor an execution graph");
        if (!library)
            continue;
        adviseCreation(device,
                       library->kind == GraphObject::Kind::GraphLibrary ||
                           (library->flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) ||
                           library->kind == GraphObject::Kind::Graph,
                       "pLibraryInfo-10181",
                       name + " was created without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX");
        adviseCreation(device,
                       !layout || !layout->graph || layout->graph->definition == library->layout->definition,
                       "pLibraryInfo-09131", name + " was created with a layout that is not compatible");
    }
}

GraphObject* findGraph(const Device& device, VkPipeline pipeline, const char* command)
{
    GraphObject* object = device.graphObjects.find(handleId(pipeline));
    if (object && object->kind == GraphObject::Kind::Graph)
        return object;
    device.messages().error("Millrace-not-a-graph", objectReference(VK_OBJECT_TYPE_PIPELINE, pipeline),
                            std::string(command) + (object ? ": the pipeline is a library, not a complete execution graph"
                                                           : ": the pipeline is not an execution graph"));
    return nullptr;
}

bool checkNodeIndexQuery(const Device& device, const GraphObject& object, VkPipeline pipeline,
                         const VkPipelineShaderStageNodeCreateInfoAMDX& query)
{
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_PIPELINE, pipeline);
    const std::string command = "vkGetExecutionGraphPipelineNodeIndexAMDX: ";
    if (!query.pName) {
        device.messages().error("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09140", reference,
                                command + "pName is NULL");
        return false;
    }
    if (query.index == VK_SHADER_INDEX_UNUSED_AMDX) {
        device.messages().error("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09141", reference,
                                command + "index is VK_SHADER_INDEX_UNUSED_AMDX");
        return false;
    }
    if (!object.graph.graph.findNode({query.pName, query.index})) {
        device.messages().error("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-executionGraph-09142", reference,
                                command + object.name() + " has no node '" + query.pName + "'[" +
                                    std::to_string(query.index) + "]");
        return false;
    }
    return true;
}

bool checkInitialize(CommandBuffer& commandBuffer, const GraphObject& object, VkDeviceAddress scratch,
                     VkDeviceSize scratchBytes)
{
    Checker checker(commandBuffer, "vkCmdInitializeGraphScratchMemoryAMDX");
    checker.require(commandBuffer.primary, "commandBuffer-09182", "not possible in a secondary command buffer");
    checker.require(!isProtected(commandBuffer), "commandBuffer-09181", "not possible in a protected command buffer");
    checker.require(scratchBytes >= object.graph.sizes.minBytes, "scratchSize-10186",
                    "scratchSize is " + std::to_string(scratchBytes) + ", minSize of " + object.name() + " is " +
                        std::to_string(object.graph.sizes.minBytes));
    checker.require(scratch != 0 && scratch % 64 == 0, "scratch-09144",
                    "scratch is " + hex(scratch) + ", not a multiple of 64");
    if (const char* obstacle = commandBuffer.rendering.obstacleToDispatch())
        checker.require(false, "Millrace-graph-in-render-pass", std::string("not supported ") + obstacle);
    if (checker.passed())
        commandBuffer.initialized[scratch] = object.graph.graphId;
    return checker.passed();
}

bool checkDispatch(CommandBuffer& commandBuffer, const GraphObject& object, const char* command,
                   VkDeviceAddress scratch, VkDeviceSize scratchBytes, VkDeviceAddress addressed)
{
    Checker checker(commandBuffer, command);
    checker.require(commandBuffer.primary, "commandBuffer-09182", "not possible in a secondary command buffer");
    checker.require(!isProtected(commandBuffer), "commandBuffer-09181", "not possible in a protected command buffer");
    checker.require(scratchBytes >= object.graph.sizes.minBytes, "scratchSize-10193",
                    "scratchSize is " + std::to_string(scratchBytes) + ", minSize of " + object.name() + " is " +
                        std::to_string(object.graph.sizes.minBytes));
    checker.require(scratch != 0 && scratch % 64 == 0, "scratch-10192",
                    "scratch is " + hex(scratch) + ", not a multiple of 64");
    if (const char* obstacle = commandBuffer.rendering.obstacleToDispatch())
        checker.require(false, "Millrace-graph-in-render-pass", std::string("not supported ") + obstacle);

    const auto known = commandBuffer.initialized.find(scratch);
    checker.advise(known == commandBuffer.initialized.end() || known->second == object.graph.graphId,
                   "scratch-10194", "the scratch memory was initialized for another execution graph pipeline");
    checker.advise(addressed % kDispatchAddressAlignment == 0, "Millrace-dispatch-address",
                   "address " + hex(addressed) + " is not a multiple of executionGraphDispatchAddressAlignment");
    return checker.passed();
}

void validateHostInfos(const CommandBuffer& commandBuffer, const GraphObject& object,
                       const VkDispatchGraphCountInfoAMDX& countInfo)
{
    const Checker checker(commandBuffer, "vkCmdDispatchGraphAMDX");
    const graph::Graph& graph = object.graph.graph;
    for (uint32_t i = 0; i < countInfo.count; ++i) {
        const auto& info = *reinterpret_cast<const VkDispatchGraphInfoAMDX*>(
            static_cast<const std::byte*>(countInfo.infos.hostAddress) + i * countInfo.stride);
        const std::string name = "infos[" + std::to_string(i) + "]";
        const bool exists = info.nodeIndex < graph.nodes.size();
        checker.advise(exists, "pCountInfo-09148", name + ".nodeIndex is " + std::to_string(info.nodeIndex) +
                                                       ", which is no node of " + object.name());
        checker.advise(!exists || graph.apiQueues[info.nodeIndex] != abi::kNoQueue, "pCountInfo-09148",
                       name + ".nodeIndex is a node that the API must not dispatch (IsApiEntryAMDX false, or "
                              "it shares the input of another node)");
        checker.advise(info.payloadCount <= kMaxPayloadCount, "pCountInfo-09149",
                       name + ".payloadCount is above maxExecutionGraphShaderPayloadCount "
                              "(VUID-VkDispatchGraphInfoAMDX-payloadCount-09171)");
        checker.advise(!exists || info.payloadCount < 2 || info.payloadStride >= graph.nodes[info.nodeIndex].payloadBytes,
                       "pCountInfo-09149",
                       name + ".payloadStride is smaller than the input payload of the node, so payloads overlap");
    }
}

}  // namespace millrace::layer

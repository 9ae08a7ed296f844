// SPDX-License-Identifier: Apache-2.0
#include "layer/graph_run.h"

#include "layer/device.h"
#include "layer/pipelines.h"

namespace millrace::layer {

namespace {

std::string nodeName(const graph::Graph& graph, uint32_t node)
{
    if (node >= graph.nodes.size())
        return "the dispatch command";
    const graph::NodeId& id = graph.nodes[node].id;
    return "node '" + id.name + "'[" + std::to_string(id.index) + "]";
}

// What happened and what to do.
std::string explain(const abi::GraphStatus& status)
{
    const std::string value = std::to_string(status.errorValue);
    switch (status.error) {
        case abi::kErrorNodeIndex:
            return "node index " + value +
                   " is no node that the API may dispatch; take indices from "
                   "vkGetExecutionGraphPipelineNodeIndexAMDX";
        case abi::kErrorPayloadCount:
            return "a workgroup allocated " + value +
                   " payloads, more than NodeMaxPayloadsAMDX declares; declare as many as it may allocate";
        case abi::kErrorGridSize:
            return "a payload asks for " + value +
                   " workgroups, more than MaxNumWorkgroupsAMDX or the limits of the device allow";
        case abi::kErrorNoNode:
            return "a payload was sent to node index " + value +
                   ", where the graph has no node; check it with OpIsNodePayloadValidAMDX";
        case abi::kErrorNotInitialized:
            return "the scratch memory was not initialized for this graph; record "
                   "vkCmdInitializeGraphScratchMemoryAMDX with the same pipeline first, and a compute barrier";
        case abi::kErrorApiPayloads:
            return "payloadCount " + value + " is above maxExecutionGraphShaderPayloadCount, " +
                   std::to_string(abi::kMaxApiPayloads) + "; dispatch them in several infos";
        case abi::kErrorCapacity:
            return "the scheduler's accounting failed (" + value +
                   "), which is a defect of the layer; please report it";
        default:
            return "error " + std::to_string(status.error) + ", value " + value;
    }
}

// The rule that the application broke, if it is to blame.
std::string ruleOf(const std::string& command, uint32_t error)
{
    switch (error) {
        case abi::kErrorNodeIndex:
            if (command == "vkCmdDispatchGraphIndirectAMDX")
                return "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09157";
            if (command == "vkCmdDispatchGraphIndirectCountAMDX")
                return "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09169";
            return "VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148";
        case abi::kErrorPayloadCount:
            return "VUID-" + command + "-NodeMaxPayloadsAMDX-09188";
        case abi::kErrorGridSize:
            return "VUID-" + command + "-maxComputeWorkGroupCount-09186";
        case abi::kErrorApiPayloads:
            return "VUID-VkDispatchGraphInfoAMDX-payloadCount-09171";
        case abi::kErrorNotInitialized:
            return "VUID-" + command + "-scratch-10194";
        default:
            return "Millrace-graph-error";
    }
}

}  // namespace

void GraphRun::reportStatus()
{
    const abi::GraphStatus status = dispatch->status();
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, commandBuffer);
    if (status.error != abi::kErrorNone && !errorReported.exchange(true))
        device.messages().error(ruleOf(command, status.error).c_str(), reference,
                                object->name() + ", " + nodeName(object->graph.graph, status.errorNode) + ": " +
                                    explain(status) + ". " + std::to_string(status.errorCount) +
                                    " payloads were dropped.");
    if (!continued && status.sweeps >= recordedSweeps && status.remaining > 0 && !remainderReported.exchange(true))
        device.messages().error(
            "Millrace-graph-incomplete", reference,
            object->name() + ": after " + std::to_string(status.sweeps) + " sweeps, " +
                std::to_string(status.remaining) +
                " nodes still had work, which is lost. Give it more scratch memory (up to maxSize), or dispatch it "
                "where the layer can continue it: setting continuation = complete, no query active.");
}

}  // namespace millrace::layer

// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/graph_run.h"

#include <optional>
#include <set>

#include "layer/graphs/pipelines.h"
#include "layer/loader/device.h"

namespace millrace::layer {

namespace {

std::string nodeName(const graph::Graph& graph, uint32_t node)
{
    if (node >= graph.nodes.size())
        return "the dispatch command";
    const graph::NodeId& id = graph.nodes[node].declared.id;
    return "node '" + id.name + "'[" + std::to_string(id.index) + "]";
}

struct Explanation {
    std::string text;
    const char* advice;
};

// Why nobody received what was sent through this output; none if somebody does.
std::optional<Explanation> explainOutput(const graph::Graph& graph, const graph::Node& sender,
                                         const graph::NodeOutput& output, uint32_t index)
{
    const std::string sent = "a payload was sent to node index " + std::to_string(index);
    const std::string name = "'" + output.targetName + "'[" + std::to_string(index) + "]";
    const std::optional<uint32_t> found = graph.findNode({output.targetName, index});
    if (!found)
        return Explanation{sent + ", where the graph has no node " + name,
                           "Check it with OpIsNodePayloadValidAMDX, or add the node to the graph"};
    const graph::Node& receiver = graph.nodes[*found];
    if (receiver.declared.sharesInputWith)
        return Explanation{
            sent + ", and node " + name + " receives only what is sent to the node whose input it shares",
            "Send to the node that SharesInputWithAMDX names"};
    const bool isItself = receiver.declared.id == sender.declared.id;
    if (isItself && receiver.declared.maxRecursion == 0 && receiver.decided.depthFirst == 0)
        return Explanation{sent + ", which is the node itself, and it declares no recursion",
                           "Declare it with MaxNodeRecursionAMDX (in GLSL: recursion = N), and send while "
                           "RemainingRecursionLevelsAMDX is not 0"};
    if (isItself)
        return Explanation{sent + ", which is the node itself, where no recursion remains",
                           "Send while RemainingRecursionLevelsAMDX is not 0, or declare more with "
                           "MaxNodeRecursionAMDX (in GLSL: recursion = N)"};
    if (output.arraySize && index >= *output.arraySize)
        return Explanation{sent + ", beyond the array of " + std::to_string(*output.arraySize) +
                               " nodes that PayloadNodeArraySizeAMDX declares; " + name +
                               " exists, but the graph would break a rule or a limit if its outputs led to all nodes",
                           "Declare an array that has all nodes that are sent to"};
    return std::nullopt;
}

// Of a payload that nobody received. The device says who sent it, and not through which output.
Explanation explainNoNode(const graph::Graph& graph, uint32_t sender, uint32_t index)
{
    if (sender < graph.nodes.size())
        for (const graph::NodeOutput& output : graph.nodes[sender].declared.outputs)
            if (std::optional<Explanation> explanation = explainOutput(graph, graph.nodes[sender], output, index))
                return *std::move(explanation);
    return {"a payload was sent to node index " + std::to_string(index) + ", where its output leads to no node",
            "Check it with OpIsNodePayloadValidAMDX, or add the node to the graph"};
}

// Of a node that allocates more: a number, if all its limits are the same.
std::string declaredBudget(const graph::Graph& graph, uint32_t node)
{
    std::set<uint32_t> budgets;
    for (const graph::NodeOutput& output : graph.nodes.at(node).declared.outputs)
        budgets.insert(graph.nodes[node].declared.outputs[output.budgetPool].budget);
    return budgets.size() == 1 ? std::to_string(*budgets.begin()) : "fewer";
}

Explanation explain(const graph::Graph& graph, const abi::GraphStatus& status)
{
    const std::string value = std::to_string(status.errorValue);
    switch (status.error) {
        case abi::kErrorNodeIndex:
            return {"node index " + value + " is no node that the API may dispatch",
                    "Take indices from vkGetExecutionGraphPipelineNodeIndexAMDX, of nodes with IsApiEntryAMDX"};
        case abi::kErrorPayloadCount:
            return {"a workgroup allocated more payloads than NodeMaxPayloadsAMDX declares, and than there is room for",
                    "Declare as many as a workgroup may allocate (in GLSL: nodeout TYPE NAME[COUNT]); the setting "
                    "validate counts them"};
        case abi::kErrorBudget:
            return {"a workgroup allocated " + value + " payloads, and NodeMaxPayloadsAMDX declares " +
                        declaredBudget(graph, status.errorNode),
                    "Declare as many as a workgroup may allocate (in GLSL: nodeout TYPE NAME[COUNT])"};
        case abi::kErrorGridSize:
            return {"a payload asks for " + value +
                        " workgroups, more than MaxNumWorkgroupsAMDX or the limits of the device allow",
                    "Declare a larger MaxNumWorkgroupsAMDX, or send several payloads with smaller grids"};
        case abi::kErrorNoNode:
            return explainNoNode(graph, status.errorNode, status.errorValue);
        case abi::kErrorNotInitialized:
            return {"the scratch memory was not initialized for this graph at this address",
                    "Record vkCmdInitializeGraphScratchMemoryAMDX with the same pipeline first, and a compute barrier"};
        case abi::kErrorApiPayloads:
            return {"payloadCount " + value + " is above maxExecutionGraphShaderPayloadCount, " +
                        std::to_string(abi::kMaxApiPayloads),
                    "Dispatch them in several infos"};
        case abi::kErrorCapacity:
            return {"the scheduler's accounting failed (" + value + "), which is a defect of the layer",
                    "Please report it, with the graph's shaders"};
        default:
            return {"error " + std::to_string(status.error) + ", value " + value + ", is not known",
                    "Check that nothing but the graph writes to its scratch memory"};
    }
}

std::string consequence(const abi::GraphStatus& status)
{
    if (status.error == abi::kErrorBudget)
        return "what there is no room for is dropped";
    return std::to_string(status.errorCount) +
           (status.errorCount == 1 ? " payload was dropped" : " payloads were dropped");
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
        case abi::kErrorBudget:
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

// Traces of graphs want to know.
void GraphRun::beforeSubmission()
{
    if (device.trace)
        dispatch->beforeExecution();
}

std::string GraphRun::name() const
{
    return object->name();
}

// Without memory for a message there is none.
void GraphRun::report() noexcept
{
    try {
        tell();
    } catch (...) {
    }
}

bool GraphRun::isComplete() const
{
    return !dispatch->hasRemaining();
}

Continuation::Progress GraphRun::progress() const
{
    const abi::GraphStatus status = dispatch->status();
    return {status.remaining, status.units, status.errorCount};
}

void GraphRun::tellStalled() const
{
    device.messages().error("Millrace-graph-stalled", objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, commandBuffer),
                            object->name() + " makes no progress and is given up, which is a defect of the layer",
                            "Please report it, with the graph's shaders");
}

void GraphRun::tell()
{
    tellLostDraws();
    const abi::GraphStatus status = dispatch->status();
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, commandBuffer);
    if (status.error != abi::kErrorNone && !errorReported.exchange(true)) {
        const Explanation explanation = explain(object->graph.graph, status);
        device.messages().error(ruleOf(command, status.error).c_str(), reference,
                                object->name() + ", " + nodeName(object->graph.graph, status.errorNode) + ": " +
                                    explanation.text + "; " + consequence(status),
                                explanation.advice);
    }
    if (!continued && status.sweeps >= recordedSweeps && status.remaining > 0 && !remainderReported.exchange(true))
        device.messages().error(
            "Millrace-graph-incomplete", reference,
            object->name() + ": after " + std::to_string(status.sweeps) + " sweeps, " +
                std::to_string(status.remaining) + " nodes still had work, which is lost",
            "Give it more scratch memory (up to maxSize), or dispatch it where the layer can continue it: setting "
            "continuation = complete, no query active");
}

void GraphRun::tellLostDraws()
{
    const abi::MeshNodeReport report = dispatch->meshReport();
    if ((report.lost == 0 && report.largeGrids == 0) || lostDrawsReported.exchange(true))
        return;
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_COMMAND_BUFFER, commandBuffer);
    if (report.lost > 0)
        device.messages().error("Millrace-mesh-nodes", reference,
                                object->name() + ": " + std::to_string(report.lost) +
                                    " payloads of mesh nodes had no room and are not drawn",
                                "Dispatch fewer at a time; docs/mesh-nodes.md says how many have room");
    if (report.largeGrids > 0)
        device.messages().error((std::string("VUID-") + command + "-maxComputeWorkGroupCount-09186").c_str(), reference,
                                object->name() + ": " + std::to_string(report.largeGrids) +
                                    " payloads of mesh nodes ask for more workgroups than MaxNumWorkgroupsAMDX or the "
                                    "limits of the device allow, and are not drawn",
                                "Declare a larger MaxNumWorkgroupsAMDX, or send several payloads with smaller grids");
}

}  // namespace millrace::layer

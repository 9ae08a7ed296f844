// SPDX-License-Identifier: Apache-2.0
// Rules for execution graph pipelines and queries.
#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"

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

constexpr char kSeeGraphCommand[] =
    "Correct the declarations of the nodes; 'millrace graph' checks and draws modules without a device";
constexpr char kGraphLibraries[] =
    "Create libraries with vkCreateComputePipelines, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR and "
    "VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX, or with vkCreateExecutionGraphPipelinesAMDX";

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

// Why a pipeline of the driver cannot be a library.
void adviseForeignLibrary(const Device& device, VkPipeline library, const std::string& name)
{
    const std::string type = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-";
    const DriverPipeline* known = device.driverPipelines.find(handleId(library));
    const bool compute = known && known->bindPoint == VK_PIPELINE_BIND_POINT_COMPUTE;
    const bool graphics = known && known->bindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS;
    adviseCreation(device, !compute && !(graphics && device.usesMeshNodes()), type + "pLibraryInfo-10181",
                   name + " was created without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX", kGraphLibraries);
    adviseCreation(device, !graphics || device.usesMeshNodes(), type + "shaderMeshEnqueue-10182",
                   name + " is a graphics pipeline, and shaderMeshEnqueue is not enabled", kGraphLibraries);
    adviseCreation(device, compute || graphics, type + "pLibraryInfo-09133",
                   name + " is neither a compute, nor an execution graph, nor a graphics pipeline", kGraphLibraries);
}

void adviseLibrary(const Device& device, const PipelineLayout* layout, VkPipeline handle, const std::string& name)
{
    const GraphObject* library = device.graphObjects.find(handleId(handle));
    if (!library) {
        adviseForeignLibrary(device, handle, name);
        return;
    }
    const std::string type = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-";
    adviseCreation(device,
                   library->kind != GraphObject::Kind::ComputeLibrary ||
                       (library->flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX),
                   type + "10181", name + " was created without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX",
                   kGraphLibraries);
    if (!library->layout)
        return;  // a part of a mesh node, which cannot be used anyway
    adviseCreation(device, !layout || !layout->graph || layout->graph->definition == library->layout->definition,
                   type + "09131", name + " was created with a layout that is not compatible",
                   "Give all libraries of a graph the layout of the graph");
}

}  // namespace

void reportRule(const Device& device, const std::string& text)
{
    device.messages().error(ruleIn(text), objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                            "vkCreateExecutionGraphPipelinesAMDX: " + text, kSeeGraphCommand);
}

void adviseArraySizes(const Device& device, const graph::Graph& graph)
{
    for (const graph::OutputBeyondDeclared& beyond : graph.beyondDeclared) {
        const graph::Node& node = graph.nodes[beyond.node];
        const graph::NodeOutput& output = node.declared.outputs[beyond.output];
        if (output.allocationSites == 0)
            continue;
        device.messages().warning("Millrace-node-array-size", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                  "vkCreateExecutionGraphPipelinesAMDX: node '" + node.declared.id.name + "'[" +
                                      std::to_string(node.declared.id.index) + "] declares that '" + output.targetName +
                                      "' has " + std::to_string(*output.arraySize) +
                                      " nodes (PayloadNodeArraySizeAMDX), and the graph has '" + output.targetName +
                                      "'[" + std::to_string(beyond.lastIndex) +
                                      "]: payloads for nodes beyond what is declared get there all the same",
                                  "Declare as many as may be sent to: the specification allows no more");
    }
}

void adviseCreation(const Device& device, bool holds, const std::string& rule, const std::string& text,
                    std::string_view advice)
{
    if (!holds)
        device.messages().validation(rule.c_str(), objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                     "vkCreateExecutionGraphPipelinesAMDX: " + text, advice);
}

void validateGraphCreation(const Device& device, const VkExecutionGraphPipelineCreateInfoAMDX& createInfo)
{
    const std::string type = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-";
    adviseCreation(device, createInfo.layout != VK_NULL_HANDLE, type + "layout-11363", "layout is VK_NULL_HANDLE",
                   "Give the layout that all nodes share");
    for (uint32_t i = 0; i < createInfo.stageCount; ++i)
        adviseCreation(
            device, createInfo.pStages[i].stage == VK_SHADER_STAGE_COMPUTE_BIT, type + "stage-09128",
            "stage " + std::to_string(i) + " is not VK_SHADER_STAGE_COMPUTE_BIT",
            "Mesh nodes come as libraries, which vkCreateGraphicsPipelines makes where shaderMeshEnqueue is enabled");
    const PipelineLayout* layout = device.pipelineLayouts.find(handleId(createInfo.layout));
    const VkPipelineLibraryCreateInfoKHR* info = createInfo.pLibraryInfo;
    for (uint32_t i = 0; info && i < info->libraryCount; ++i)
        adviseLibrary(device, layout, info->pLibraries[i], "library " + std::to_string(i));
}

GraphObject* findGraph(const Device& device, VkPipeline pipeline, const char* command)
{
    GraphObject* object = device.graphObjects.find(handleId(pipeline));
    if (object && object->kind == GraphObject::Kind::Graph)
        return object;
    device.messages().error(
        "Millrace-not-a-graph", objectReference(VK_OBJECT_TYPE_PIPELINE, pipeline),
        std::string(command) + (object ? ": the pipeline is a library, not a complete execution graph"
                                       : ": the pipeline is not an execution graph"),
        "Give a pipeline of vkCreateExecutionGraphPipelinesAMDX without VK_PIPELINE_CREATE_LIBRARY_BIT_KHR");
    return nullptr;
}

bool checkNodeIndexQuery(const Device& device, const GraphObject& object, VkPipeline pipeline,
                         const VkPipelineShaderStageNodeCreateInfoAMDX& query)
{
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_PIPELINE, pipeline);
    const std::string command = "vkGetExecutionGraphPipelineNodeIndexAMDX: ";
    if (!query.pName) {
        device.messages().error("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09140", reference,
                                command + "pName is NULL", "Give the node's name");
        return false;
    }
    if (query.index == VK_SHADER_INDEX_UNUSED_AMDX) {
        device.messages().error("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09141", reference,
                                command + "index is VK_SHADER_INDEX_UNUSED_AMDX",
                                "Give the node's index, which is 0 unless the shader or the stage says otherwise");
        return false;
    }
    if (!object.graph.graph.findNode({query.pName, query.index})) {
        device.messages().error(
            "VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-executionGraph-09142", reference,
            command + object.name() + " has no node '" + query.pName + "'[" + std::to_string(query.index) + "]",
            "Ask for a node of the graph; 'millrace graph' lists those of shader modules");
        return false;
    }
    return true;
}

}  // namespace millrace::layer

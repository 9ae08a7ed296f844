// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX and the queries of execution graphs.
#include <algorithm>
#include <atomic>
#include <optional>

#include "layer/chains/chain.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/pipelines_ahead.h"
#include "layer/graphs/validate.h"
#include "layer/loader/entry_points.h"
#include "runtime/fed_leaves.h"
#include "runtime/pipeline_uses.h"

namespace millrace::layer {

namespace {

constexpr char kCommand[] = "vkCreateExecutionGraphPipelinesAMDX";

uint32_t newGraphId()
{
    static std::atomic<uint32_t> last{0};
    uint32_t id = ++last;
    return id != 0 ? id : ++last;
}

// Creates one execution graph.
class GraphBuilder {
public:
    GraphBuilder(Device& device, VkPipelineCache cache, const VkExecutionGraphPipelineCreateInfoAMDX& createInfo)
        : m_device(device),
          m_cache(cache),
          m_createInfo(createInfo),
          m_flags(pipelineFlags(createInfo.pNext, createInfo.flags)),
          m_object(std::make_shared<GraphObject>())
    {
    }

    VkPipelineCreateFlags2 flags() const { return m_flags; }
    VkResult build();
    std::shared_ptr<GraphObject> take() { return std::move(m_object); }

private:
    VkResult lowerStages();
    VkResult addLibraries();
    VkResult link();
    Result<graph::Graph> fuse(graph::Graph graph);
    VkResult compileStages();
    VkResult checkStages(std::span<const NodeResult> results) const;
    void giveFeedback(uint64_t duration) const;
    VkResult fail(VkResult result, const std::string& why, std::string_view advice) const;
    const VkPipelineCreationFeedbackCreateInfo* feedbackInfo() const
    {
        return findInChain<VkPipelineCreationFeedbackCreateInfo>(
            m_createInfo.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    }

    Device& m_device;
    VkPipelineCache m_cache;
    const VkExecutionGraphPipelineCreateInfoAMDX& m_createInfo;
    VkPipelineCreateFlags2 m_flags;
    std::shared_ptr<GraphObject> m_object;
    std::optional<NodeBuilder> m_stages;
    VkPipelineCreationFeedback m_feedback{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0};
};

VkResult GraphBuilder::fail(VkResult result, const std::string& why, std::string_view advice) const
{
    m_device.messages().error("Millrace-graph-creation", objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                              "vkCreateExecutionGraphPipelinesAMDX: " + why, advice);
    return result;
}

VkResult GraphBuilder::build()
{
    m_device.tellUnknown(kCommand, unknownStructures(m_createInfo.pNext), kLayerAlone);
    m_object->flags = m_flags;
    m_object->kind =
        m_flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR ? GraphObject::Kind::GraphLibrary : GraphObject::Kind::Graph;
    m_object->layout = graphLayoutOf(m_device, m_createInfo.layout);
    if (!m_object->layout)
        return VK_ERROR_VALIDATION_FAILED_EXT;
    VkResult result = lowerStages();
    if (result == VK_SUCCESS)
        result = addLibraries();
    if (result == VK_SUCCESS && m_object->kind == GraphObject::Kind::Graph)
        result = link();
    if (result == VK_SUCCESS)
        result = compileStages();
    if (const auto* info = feedbackInfo(); info && info->pPipelineCreationFeedback)
        *info->pPipelineCreationFeedback = m_feedback;
    return result;
}

VkResult GraphBuilder::lowerStages()
{
    std::vector<NodeRequest> requests;
    for (uint32_t i = 0; i < m_createInfo.stageCount; ++i) {
        m_device.tellUnknown(kCommand, unknownStructures(m_createInfo.pStages[i].pNext), kLayerAlone);
        Result<NodeRequest> request = readStage(m_device, m_createInfo.pStages[i], *m_object->layout);
        if (!request)
            // A module given by its identifier alone, or code without any compute shader.
            return m_flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT
                       ? VK_PIPELINE_COMPILE_REQUIRED
                       : fail(VK_ERROR_VALIDATION_FAILED_EXT, request.error().text(),
                              "Give a module, or code chained to the stage, with a compute entry point of this name");
        requests.push_back(std::move(*request));
    }
    m_stages.emplace(m_device, m_cache, m_flags, m_object->layout, std::move(requests));
    const std::span<const NodeResult> results = m_stages->prepare();
    for (const NodeResult& node : results)
        m_object->nodes.push_back(node.node);
    return checkStages(results);
}

// Reports what failed. An error says more than that something would have to be compiled.
VkResult GraphBuilder::checkStages(std::span<const NodeResult> results) const
{
    for (size_t i = 0; i < results.size(); ++i)
        if (!results[i].message.empty())
            fail(results[i].result, "stage " + std::to_string(i) + ": " + results[i].message, kSeeLowerCommand);
    auto failed = std::ranges::find_if(results, [](const NodeResult& node) { return node.result < 0; });
    if (failed == results.end())
        failed = std::ranges::find_if(results, [](const NodeResult& node) { return node.result != 0; });
    return failed == results.end() ? VK_SUCCESS : failed->result;
}

// The stages are the first nodes.
VkResult GraphBuilder::compileStages()
{
    const std::span<const graph::CodeTraits> traits = m_object->graph.graph.code;
    const auto uses = firstUses(m_object->graph.graph, m_object->graph.getLeaf != nullptr);
    const std::span<const NodeResult> results =
        m_stages->compile(traits.first(std::min(traits.size(), m_stages->results().size())), uses);
    const auto* feedback = feedbackInfo();
    bool allFromCache = !results.empty();
    for (size_t i = 0; i < results.size(); ++i) {
        if (feedback && i < feedback->pipelineStageCreationFeedbackCount)
            feedback->pPipelineStageCreationFeedbacks[i] = results[i].feedback;
        m_feedback.duration += results[i].feedback.duration;
        const bool isNeeded = uses.empty() || uses[i];
        allFromCache = allFromCache &&
                       (!isNeeded ||
                        (results[i].feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT));
    }
    if (allFromCache)
        m_feedback.flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    return checkStages(results);
}

VkResult GraphBuilder::addLibraries()
{
    const VkPipelineLibraryCreateInfoKHR* info = m_createInfo.pLibraryInfo;
    for (uint32_t i = 0; info && i < info->libraryCount; ++i) {
        const GraphObject* library = m_device.graphObjects.find(handleId(info->pLibraries[i]));
        if (!library)
            return fail(VK_ERROR_VALIDATION_FAILED_EXT,
                        "library " + std::to_string(i) +
                            " is not a compute pipeline with the library and execution graph bits, nor an execution "
                            "graph, nor a graphics pipeline with these bits, which needs shaderMeshEnqueue",
                        "Create it with vkCreateComputePipelines, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR and "
                        "VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX");
        if (library->kind == GraphObject::Kind::MeshPart) {
            m_device.messages().error("VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10183",
                                      objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                      "vkCreateExecutionGraphPipelinesAMDX: library " + std::to_string(i) +
                                          " is a part of a mesh node, which lacks other parts",
                                      "Link all parts to one library with vkCreateGraphicsPipelines before");
            return VK_ERROR_VALIDATION_FAILED_EXT;
        }
        // Node code is compiled for the place of our arguments behind the push constants.
        if (library->layout->argumentsOffsetBytes != m_object->layout->argumentsOffsetBytes ||
            library->layout->pushConstantsInMemory != m_object->layout->pushConstantsInMemory)
            return fail(VK_ERROR_VALIDATION_FAILED_EXT,
                        "library " + std::to_string(i) +
                            " was created with other push constant ranges than the graph's layout has (" +
                            std::to_string(library->layout->pushConstantBytes) + " and " +
                            std::to_string(m_object->layout->pushConstantBytes) + " bytes)",
                        "Create all libraries of a graph with the layout of the graph");
        m_object->nodes.insert(m_object->nodes.end(), library->nodes.begin(), library->nodes.end());
    }
    return VK_SUCCESS;
}

// Not where somebody wants to see payloads, each node, or the application's code as it is.
Result<graph::Graph> GraphBuilder::fuse(graph::Graph graph)
{
    const Settings& settings = m_device.settings();
    const bool seesNodes = !settings.capture.empty() || (!settings.trace.empty() && settings.traceNodes);
    if (settings.fusion == settings::Fusion::None || seesNodes ||
        (m_flags & VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR))
        return graph;
    std::vector<nodes::FusionOutcome> outcomes;
    const size_t before = m_stages->results().size();
    Result<graph::Graph> fused = m_stages->fuse(std::move(graph), settings.fusion == settings::Fusion::All, outcomes);
    for (const NodeResult& added : m_stages->results().subspan(before))
        m_object->nodes.push_back(added.node);
    return fused;
}

VkResult GraphBuilder::link()
{
    std::vector<graph::Node> nodes;
    for (const std::shared_ptr<NodePipeline>& node : m_object->nodes)
        nodes.push_back(node->node);
    Result<graph::Graph> graph = graph::link(std::move(nodes));
    if (graph && m_device.settings().validate)
        adviseArraySizes(m_device, *graph);
    if (graph)
        graph = fuse(std::move(*graph));
    if (!graph) {
        reportRule(m_device, graph.error().text());
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }
    runtime::GraphPipeline& pipeline = m_object->graph;
    pipeline.graph = std::move(*graph);
    pipeline.sizes = graph::scratchSizes(pipeline.graph, m_device.runtime->maxScratchBytes());
    pipeline.graphId = newGraphId();
    pipeline.getPipelines = [&device = m_device, object = m_object.get()](std::span<const runtime::PipelineUse> uses,
                                                                          std::vector<VkPipeline>& out) {
        return getPipelines(device, object->nodes, uses, out);
    };
    if (settings::runsLeaves(m_device.settings()))
        pipeline.getLeaf = [&device = m_device, object = m_object.get()](uint32_t node, graph::MemoryUse memory,
                                                                         VkPipeline& out) {
            return getPipeline(device, object->nodes, {node, memory}, out);
        };
    pipeline.isBatched = [object = m_object.get()](uint32_t node) { return object->nodes[node]->code->batched(); };
    for (const std::shared_ptr<NodePipeline>& node : m_object->nodes)
        pipeline.payloadTypes.push_back(node->payloadType);
    pipeline.layout = m_object->layout->handle;
    pipeline.argumentsOffsetBytes = m_object->layout->argumentsOffsetBytes;
    pipeline.pushConstantsInMemory = m_object->layout->pushConstantsInMemory;
    return VK_SUCCESS;
}

// What creation has left out, of nodes that the scheduler is expected to run.
void makeAhead(Device& device, const GraphObject& object)
{
    if (object.kind != GraphObject::Kind::Graph)
        return;
    if (!device.settings().ahead)
        return releaseAll(object.nodes);
    const runtime::GraphPipeline& pipeline = object.graph;
    const auto first = firstUses(pipeline.graph, pipeline.getLeaf != nullptr);
    std::vector<runtime::PipelineUse> uses = runtime::laterUses(pipeline, device.settings().runtime.path);
    std::erase_if(uses,
                  [&](const runtime::PipelineUse& use) { return !first[use.node] || first[use.node] == use.memory; });
    if (pipeline.getLeaf)
        for (const uint32_t node : runtime::fedNodes(pipeline.graph))
            uses.push_back({node, graph::MemoryUse::Fed});
    // Hardly any dispatch runs leaves by the scheduler.
    std::ranges::stable_sort(uses, {}, [&](const runtime::PipelineUse& use) {
        return use.memory != graph::MemoryUse::Fed && first[use.node] == graph::MemoryUse::None;
    });
    device.pipelinesAhead->add(object.nodes, uses);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateExecutionGraphPipelinesAMDX(
    VkDevice handle, VkPipelineCache pipelineCache, uint32_t createInfoCount,
    const VkExecutionGraphPipelineCreateInfoAMDX* pCreateInfos, const VkAllocationCallbacks*, VkPipeline* pPipelines)
{
    Device& device = Device::of(handle);
    std::fill_n(pPipelines, createInfoCount, VkPipeline{});
    if (!device.usesGraphs()) {
        device.messages().error("VUID-vkCreateExecutionGraphPipelinesAMDX-shaderEnqueue-09124",
                                objectReference(VK_OBJECT_TYPE_DEVICE, handle),
                                "the feature shaderEnqueue is not enabled", kEnableFeature);
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }
    VkResult outcome = device.runtime->prepare();
    if (outcome != VK_SUCCESS)
        return outcome;
    for (uint32_t i = 0; i < createInfoCount; ++i) {
        if (device.settings().validate) {
            validateGraphCreation(device, pCreateInfos[i]);
            validateGraphFlags(device, pipelineCache, {pCreateInfos, createInfoCount}, i);
        }
        GraphBuilder builder(device, pipelineCache, pCreateInfos[i]);
        const VkResult result = builder.build();
        if (result == VK_SUCCESS) {
            const std::shared_ptr<GraphObject> object = builder.take();
            makeAhead(device, *object);
            pPipelines[i] = publish(device, object);
            continue;
        }
        // Errors outrank VK_PIPELINE_COMPILE_REQUIRED.
        if (outcome >= 0 && (outcome == VK_SUCCESS || result < 0))
            outcome = result;
        if (builder.flags() & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT)
            break;
    }
    return outcome;
}

VKAPI_ATTR VkResult VKAPI_CALL GetExecutionGraphPipelineScratchSizeAMDX(
    VkDevice handle, VkPipeline executionGraph, VkExecutionGraphPipelineScratchSizeAMDX* pSizeInfo)
{
    Device& device = Device::of(handle);
    const GraphObject* object = findGraph(device, executionGraph, "vkGetExecutionGraphPipelineScratchSizeAMDX");
    if (!object)
        return VK_ERROR_VALIDATION_FAILED_EXT;
    pSizeInfo->minSize = object->graph.sizes.minBytes;
    pSizeInfo->maxSize = object->graph.sizes.maxBytes;
    pSizeInfo->sizeGranularity = object->graph.sizes.granularityBytes;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
GetExecutionGraphPipelineNodeIndexAMDX(VkDevice handle, VkPipeline executionGraph,
                                       const VkPipelineShaderStageNodeCreateInfoAMDX* pNodeInfo, uint32_t* pNodeIndex)
{
    Device& device = Device::of(handle);
    const GraphObject* object = findGraph(device, executionGraph, "vkGetExecutionGraphPipelineNodeIndexAMDX");
    if (!object || !checkNodeIndexQuery(device, *object, executionGraph, *pNodeInfo))
        return VK_ERROR_VALIDATION_FAILED_EXT;
    *pNodeIndex = *object->graph.graph.findNode({pNodeInfo->pName, pNodeInfo->index});
    return VK_SUCCESS;
}

}  // namespace

void GraphObject::setName(std::string name)
{
    std::lock_guard lock(m_mutex);
    m_name = std::move(name);
}

std::string GraphObject::name() const
{
    std::lock_guard lock(m_mutex);
    return m_name.empty() ? "graph " + std::to_string(graph.graphId) : "graph '" + m_name + "'";
}

VkPipeline publish(Device& device, std::shared_ptr<GraphObject> object)
{
    const VkPipeline handle = handleOf<VkPipeline>(object.get());
    device.graphObjects.insert(handleId(handle), std::move(object));
    return handle;
}

EntryPoints graphPipelineEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateExecutionGraphPipelinesAMDX, kUseExtension, true),
        MILLRACE_ENTRY(GetExecutionGraphPipelineScratchSizeAMDX, kUseExtension, true),
        MILLRACE_ENTRY(GetExecutionGraphPipelineNodeIndexAMDX, kUseExtension, true),
    };
    return entries;
}

}  // namespace millrace::layer
